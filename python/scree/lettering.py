"""Title, caption and colour bar of pictures, drawn with Pillow. Sizes are in pixels and grow with the picture."""
import functools
import math
import os

INK, PALE, TITLE, CAPTION = (52, 58, 68), (252, 252, 253), (30, 34, 42), (70, 76, 88)
#: Height of capitals over the size of the font.
CAPITALS = 0.729


@functools.lru_cache(maxsize=None)
def _font(height):
    """DejaVu Sans with capitals of a height: the system's, or the one matplotlib brings."""
    from PIL import ImageFont
    name, size = "DejaVuSans.ttf", max(1, round(height / CAPITALS))
    try:
        return ImageFont.truetype(name, size)
    except OSError:
        import matplotlib
        return ImageFont.truetype(os.path.join(matplotlib.get_data_path(), "fonts", "ttf", name), size)


class _Pen:
    """Writes on a picture: dark letters with a pale rim that lifts them off what is behind."""

    def __init__(self, picture):
        from PIL import Image, ImageDraw
        self.picture, self.draw = picture, ImageDraw.Draw(picture)
        self._mask = functools.partial(Image.new, "L", picture.size)
        self._draw_mask = ImageDraw.Draw

    def write(self, x, y, text, height, colour, rim):
        """One line; (x, y) is the left end of its base line."""
        if not text:
            return
        font, place = _font(height), (x, y)
        mask = self._mask()
        self._draw_mask(mask).text(place, text, fill=140, font=font, anchor="ls", stroke_width=max(1, round(rim)))
        self.picture.paste(PALE, mask=mask)
        self.draw.text(place, text, fill=colour, font=font, anchor="ls")


def ticks(low, high):
    """Round numbers from low to high, about four: steps of 1, 2 or 5 times a power of ten."""
    raw = (high - low) / 4.0
    power = 10.0 ** math.floor(math.log10(raw))
    step = power * next((factor for factor, bound in ((1, 1.5), (2, 3.5), (5, 7.5)) if raw < bound * power), 10)
    first = math.ceil(low / step)
    return [k * step for k in range(first, first + 12) if k * step <= high]


def number(value):
    """A value as the colour bar shows it: three digits, thousands without an exponent."""
    return f"{value:.0f}" if 1e3 <= abs(value) < 1e6 else f"{value:.3g}"


def _bar(pen, legend, scale):
    """The colour bar at the right, half as high as the picture."""
    width, height = round(18 * scale), round(0.46 * pen.picture.height)
    left, top = pen.picture.width - round(112 * scale), (pen.picture.height - height) // 2
    for y in range(height):
        colour = tuple(round(255 * part) for part in legend["colour"](1.0 - (y + 0.5) / height))
        pen.draw.line([(left, top + y), (left + width - 1, top + y)], fill=colour)
    pen.draw.rectangle([left - 1, top - 1, left + width, top + height], outline=INK)

    def label(value, share):
        y, letters = top + height * (1.0 - share), 11 * scale
        pen.draw.line([(left + width + 1, int(y)), (left + width + int(4 * scale), int(y))], fill=INK)
        pen.write(left + width + 8 * scale, y + 0.5 * letters, number(value), letters, INK, 1.5 * scale)

    low, high = legend["low"], legend["high"]
    label(low, 0.0)
    if high > low:
        label(high, 1.0)
        for value in ticks(low, high):
            if 0.08 < (value - low) / (high - low) < 0.92:
                label(value, (value - low) / (high - low))
    _bar_title(pen, legend, left, top, scale)


def _bar_title(pen, legend, left, top, scale):
    """Title and unit above the bar, kept inside the picture."""
    letters = 12.5 * scale
    widest = max(_font(letters).getlength(legend[part]) for part in ("title", "unit"))
    x = min(left, pen.picture.width - 12 * scale - widest)
    pen.write(x, top - (34 if legend["unit"] else 15) * scale, legend["title"], letters, INK, 1.5 * scale)
    pen.write(x, top - 15 * scale, legend["unit"], letters, INK, 1.5 * scale)


def letter(pixels, text):
    """Pillow's image of an array (height, width, 3) with `text`: a dictionary of title, caption and legend (None, or a dictionary of title, unit,
    low, high and colour, a function from [0, 1] to RGB in [0, 1])."""
    from PIL import Image
    picture = Image.fromarray(pixels)
    # Text grows with the picture; a small picture still has legible text.
    scale = max(0.55, min(picture.height / 720, picture.width / 900))
    pen = _Pen(picture)
    y = 34 * scale
    if text["title"]:
        pen.write(22 * scale, y, text["title"], 17 * scale, TITLE, 2 * scale)
        y += 25 * scale
    pen.write(22 * scale, y, text["caption"], 12.5 * scale, CAPTION, 1.5 * scale)
    if text["legend"]:
        _bar(pen, text["legend"], scale)
    return picture
