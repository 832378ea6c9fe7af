"""Movies of pictures that come one after the other: GIF and WebP by Pillow, mp4 by the program ffmpeg."""
import contextlib
import os
import shutil
import subprocess

import numpy as np

#: Endings of movies.
ENDINGS = (".gif", ".webp", ".mp4")
#: Entries of a GIF's palette for colours; one more means 'as before'.
_COLOURS = 255


@contextlib.contextmanager
def whole(out):
    """A name to write to; the file takes the place of `out` when the block ends well and is removed when it does not. Errors of the disk name `out`."""
    root, ending = os.path.splitext(out)
    temporary = f"{root}.part{ending}"
    try:
        yield temporary
        os.replace(temporary, out)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.remove(temporary)
        if isinstance(error, OSError) and error.errno is not None:
            raise OSError(f"{out}: cannot write there: {os.strerror(error.errno)}") from None
        raise


def _palette(colours, counts):
    """Pillow's median cut of colours (n, 3). Each counts by the root of its pixels: a smooth background must not take the entries of a colour bar."""
    from PIL import Image
    sample = np.repeat(np.round(colours).astype(np.uint8), np.ceil(np.sqrt(counts)).astype(int), axis=0)
    return Image.fromarray(sample[None]).quantize(_COLOURS, method=Image.Quantize.MEDIANCUT, kmeans=1).getpalette()[:3 * _COLOURS]


def _quantised(pixels):
    """(indices, palette) of a picture. Colours that share their six leading bits are one; the nearest entry is as the eye weighs red, green and blue."""
    cells = (pixels >> 2).astype(np.int32)
    packed = (cells[..., 0] << 12 | cells[..., 1] << 6 | cells[..., 2]).ravel()
    counts = np.bincount(packed, minlength=1 << 18)
    used = np.flatnonzero(counts)
    sums = [np.bincount(packed, weights=pixels[..., k].ravel(), minlength=1 << 18)[used] for k in range(3)]
    colours = np.stack(sums, axis=1) / counts[used, None]
    palette = _palette(colours, counts[used])
    weights = np.sqrt([3.0, 6.0, 1.0])
    entries = np.reshape(palette, (-1, 3)) * weights
    table = np.zeros(1 << 18, dtype=np.uint8)
    table[used] = ((entries ** 2).sum(axis=1) - 2.0 * (colours * weights) @ entries.T).argmin(axis=1)
    return table[packed].reshape(pixels.shape[:2]), palette


def _gif_frames(pictures):
    """Pictures of at most 255 colours each; from the second on, pixels that did not change since the last are transparent, which packs well."""
    from PIL import Image
    last = None
    for picture in pictures:
        pixels = np.asarray(picture)
        indices, palette = _quantised(pixels)
        if last is not None:
            indices[(pixels == last).all(axis=2)] = _COLOURS
        frame = Image.fromarray(indices, mode="P")
        frame.putpalette(palette + [0] * (768 - len(palette)))
        if last is not None:
            frame.info["transparency"] = _COLOURS
        last = pixels
        yield frame


def _gif(path, pictures, rate):
    frames = _gif_frames(pictures)
    next(frames).save(path, save_all=True, append_images=frames, duration=max(10, round(1000 / rate)), loop=0, disposal=1, optimize=False)


def _webp(path, pictures, rate):
    next(pictures).save(path, save_all=True, append_images=pictures, duration=max(1, round(1000 / rate)), loop=0, quality=85, method=3)


def _mp4(path, pictures, rate):
    """H.264 that every player takes: sides are made even, colours halved along both."""
    first = next(pictures)
    command = ["ffmpeg", "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{first.width}x{first.height}", "-r", f"{rate:g}", "-i", "-",
               "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-c:v", "libx264", "-crf", "20", "-pix_fmt", "yuv420p", "-movflags", "+faststart", path]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as encoder:
        try:
            encoder.stdin.write(first.tobytes())
            for picture in pictures:
                encoder.stdin.write(picture.tobytes())
        except BrokenPipeError:
            pass
        except BaseException:
            encoder.kill()
            raise
        said = encoder.communicate()[1].decode(errors="replace").strip()
    if encoder.returncode != 0:
        raise OSError(f"{path}: ffmpeg could not write it: {said.splitlines()[-1] if said else 'no message'}")


def check(out):
    """OSError when a movie of this ending cannot be made here."""
    if out.lower().endswith(".mp4") and shutil.which("ffmpeg") is None:
        raise OSError(f"{out}: mp4 needs the program ffmpeg: apt-get install ffmpeg, or choose a name ending in .gif or .webp")


def write(out, pictures, rate):
    """Write Pillow's images of one size, at least one, as a movie of `rate` frames a second; the ending of the name decides the format."""
    check(out)
    writer = {".gif": _gif, ".webp": _webp, ".mp4": _mp4}[os.path.splitext(out)[1].lower()]
    with whole(out) as temporary:
        writer(temporary, iter(pictures), rate)
