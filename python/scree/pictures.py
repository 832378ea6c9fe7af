"""Pictures and movies of results, made without a screen."""
import io
import os

import numpy as np

from . import _check, _scree, lettering, movies
from .results import Results, results_file


class Picture(np.ndarray):
    """8-bit RGB of shape (height, width, 3), which a notebook shows as the picture it is."""

    def _repr_png_(self):
        from PIL import Image
        file = io.BytesIO()
        Image.fromarray(np.asarray(self)).save(file, "PNG")
        return file.getvalue()


def _renderer(path, settings):
    settings = {name: value for name, value in settings.items() if value is not None}
    if "view" in settings:
        settings["view"] = _check.direction("view", settings["view"])
    if "size" in settings:
        width, height = _check.pair("size", settings.pop("size"))
        settings["width"], settings["height"] = _check.integer("width", width, 1), _check.integer("height", height, 1)
    if "bodies" in settings:
        stored = Results(path)
        settings["bodies"] = [stored.row(body) for body in settings["bodies"]]
    renderer = _scree.Renderer(results_file(path), settings)
    if renderer.frames() == 0:
        raise ValueError(f"{results_file(path)}: there are no frames to draw")
    return renderer


def _index(renderer, frame):
    count = renderer.frames()
    frame = _check.integer("frame", frame)
    if not -count <= frame < count:
        raise ValueError(f"frame {frame}: the results have {count} frames, 0 to {count - 1}")
    return frame % count


@_check.keywords
def picture(path, frame=-1, size=None, view=None, zoom=None, quantity=None, map=None, low=None, high=None, obstacles=None, chains=None,
            ground=None, edges=None, samples=None, title=None, caption=None, bodies=None):
    """One frame as an array of shape (height, width, 3), 8-bit RGB; notebooks show it as a picture.

    view: direction from the scene to the camera. quantity: 'velocity', 'displacement', 'force', 'body' or 'none' colours the moving
    bodies on the map 'dusk' or 'spectrum' from low to high. obstacles: 'automatic', 'solid', 'faded' or 'hidden'. chains: draw contact
    forces as tubes. bodies: draw only these (ids or labels)."""
    settings = dict(locals())
    renderer = _renderer(settings.pop("path"), {k: v for k, v in settings.items() if k != "frame"})
    index = _index(renderer, frame)
    renderer.prepare([index])
    return np.asarray(lettering.letter(*renderer.picture(index))).view(Picture)


def render(path, out, frame=-1, every=None, rate=25.0, progress=lambda share: None, **settings):
    """Write a picture (.png) of one frame, or a movie (.gif, .webp, or .mp4 where ffmpeg is there) of every k-th frame shown
    `rate` times a second; settings as in picture(). Returns the path."""
    out = _check.path("out", out)
    ending = os.path.splitext(out)[1].lower()
    if ending != ".png" and ending not in movies.ENDINGS:
        raise ValueError(f"{out}: the name must end in .png for a picture, or in {', '.join(movies.ENDINGS)} for a movie")
    renderer = _renderer(path, settings)
    os.makedirs(os.path.dirname(os.path.abspath(out)), exist_ok=True)
    if ending == ".png":
        index = _index(renderer, frame)
        renderer.prepare([index])
        with movies.whole(out) as temporary:
            lettering.letter(*renderer.picture(index)).save(temporary)
        return out
    movies.check(out)
    every = 1 if every is None else _check.integer("every", every, 1)
    frames = list(range(0, renderer.frames(), every))
    renderer.prepare(frames)
    movies.write(out, _drawn(renderer, frames, progress), _check.positive("rate", rate))
    return out


def _drawn(renderer, frames, progress):
    """Pictures of frames one after the other; progress(share) after each."""
    for k, frame in enumerate(frames):
        yield lettering.letter(*renderer.picture(frame))
        progress((k + 1) / len(frames))
