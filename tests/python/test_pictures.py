"""Lettering of pictures, and movies as viewers will see them."""
import os
import shutil
import subprocess

import numpy as np
import pytest

import scree
from scree import lettering, movies

Image = pytest.importorskip("PIL.Image")


def grey(t):
    return (t, t, t)


def text(**parts):
    return {"title": "", "caption": "", "legend": None, **parts}


def ink(picture, plain):
    """Places whose colour changed, (n, 2) rows and columns."""
    return np.argwhere((np.asarray(picture) != plain).any(axis=2))


PLAIN = np.full((360, 640, 3), 200, dtype=np.uint8)


def test_nothing_to_write_changes_nothing():
    assert np.array_equal(np.asarray(lettering.letter(PLAIN.copy(), text())), PLAIN)


@pytest.mark.parametrize("size", [(90, 160), (360, 640), (720, 1280), (1080, 1920)])
def test_text_grows_with_the_picture_and_stays_above_left(size):
    plain = np.full((*size, 3), 200, dtype=np.uint8)
    rows, columns = ink(lettering.letter(plain.copy(), text(title="drum", caption="t = 2 s")), plain).T
    scale = max(0.55, min(size[0] / 720, size[1] / 900))
    assert rows.min() < 34 * scale < 59 * scale <= rows.max() + 2 and rows.max() < 70 * scale
    assert abs(columns.min() - 22 * scale) < 3 and columns.max() < 200 * scale


def test_letters_beyond_ascii_are_drawn_each_with_its_own_shape():
    shapes = set()
    for letter in "aé°µα²→":
        places = ink(lettering.letter(PLAIN.copy(), text(title=letter)), PLAIN)
        assert len(places) > 8, letter
        shapes.add(tuple(map(tuple, places)))
    assert len(shapes) == 7


def test_the_colour_bar_shows_its_colours_from_bottom_to_top():
    legend = {"title": "speed", "unit": "m/s", "low": 0.0, "high": 2.5, "colour": grey}
    picture = np.asarray(lettering.letter(PLAIN.copy(), text(legend=legend)))
    assert (picture[:, :500] == PLAIN[:, :500]).all()
    column = picture[:, 640 - round(112 * 0.55) + 4, 0].astype(int)
    top, height = (360 - 166) // 2, 166
    bar = column[top:top + height]
    assert (np.diff(bar) <= 0).all() and bar[0] > 250 and bar[-1] < 5


@pytest.mark.parametrize("low, high", [(0.0, 2.5), (-3.0, 7.0), (0.0, 1e-9), (123.4, 130.1), (0.0, 4.2e5)])
def test_ticks_are_round_and_inside(low, high):
    ticks = lettering.ticks(low, high)
    assert 2 <= len(ticks) <= 9 and all(low - 1e-12 <= t <= high for t in ticks)
    step = np.diff(ticks)
    assert step == pytest.approx(np.full(len(step), step[0]))
    assert f"{step[0]:.0e}"[0] in "125"


def test_numbers_of_the_bar():
    assert [lettering.number(v) for v in (0.0, 0.12345, 1234.5, 2.5e7, -3.0)] == ["0", "0.123", "1234", "2.5e+07", "-3"]


# --- movies -----------------------------------------------------------------------------------------------------

def moving_square(count, size=(60, 80)):
    """Pictures of a square that walks over a shaded ground."""
    rows, columns = np.mgrid[:size[0], :size[1]]
    ground = np.stack([rows * 2 + 40, columns * 2 + 20, rows + columns], axis=2).astype(np.uint8)
    for k in range(count):
        picture = ground.copy()
        picture[20:36, 4 * k:4 * k + 16] = (230, 40 + 10 * k, 20)
        yield Image.fromarray(picture)


def shown(path):
    """Frames of a movie as a viewer shows them."""
    if path.endswith(".mp4"):
        raw = subprocess.run(["ffmpeg", "-loglevel", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"], capture_output=True, check=True).stdout
        return list(np.frombuffer(raw, np.uint8).reshape(-1, 60, 80, 3))
    frames = []
    with Image.open(path) as movie:
        for k in range(movie.n_frames):
            movie.seek(k)
            frames.append(np.asarray(movie.convert("RGB")))
    return frames


@pytest.mark.parametrize("ending, error", [(".gif", 3.0), (".webp", 4.0), (".mp4", 8.0)])
def test_movies_show_every_frame_nearly_as_it_was(tmp_path, ending, error):
    if ending == ".mp4" and shutil.which("ffmpeg") is None:
        pytest.skip("ffmpeg is not installed")
    path = str(tmp_path / f"walk{ending}")
    movies.write(path, moving_square(8), 20.0)
    frames, wanted = shown(path), [np.asarray(picture) for picture in moving_square(8)]
    assert len(frames) == 8
    for frame, expected in zip(frames, wanted):
        assert np.abs(frame.astype(int) - expected).mean() < error


def test_a_gif_keeps_time_and_repeats(tmp_path):
    path = str(tmp_path / "walk.gif")
    movies.write(path, moving_square(3), 20.0)
    with Image.open(path) as movie:
        assert movie.info["duration"] == 50 and movie.info["loop"] == 0


def test_what_does_not_change_costs_nothing_in_a_gif(tmp_path):
    still = next(moving_square(1, (200, 300)))
    sizes = []
    for count in (1, 2, 12):
        movies.write(str(tmp_path / "still.gif"), iter([still] * count), 10.0)
        sizes.append(os.path.getsize(tmp_path / "still.gif"))
    assert sizes[2] - sizes[0] < 0.05 * sizes[0]


def test_a_frame_equal_to_the_last_is_still_a_frame(tmp_path):
    pictures = list(moving_square(2))
    movies.write(str(tmp_path / "walk.gif"), iter([pictures[0], pictures[0], pictures[1], pictures[1], pictures[0]]), 10.0)
    with Image.open(tmp_path / "walk.gif") as movie:
        total = 0
        for k in range(movie.n_frames):
            movie.seek(k)
            total += movie.info["duration"]
    assert total == 500


def test_a_movie_that_fails_leaves_nothing(tmp_path):
    def broken():
        yield from moving_square(2)
        raise KeyboardInterrupt
    for ending in (".gif", ".webp", *([".mp4"] if shutil.which("ffmpeg") else [])):
        with pytest.raises(KeyboardInterrupt):
            movies.write(str(tmp_path / f"walk{ending}"), broken(), 10.0)
    assert os.listdir(tmp_path) == []


def test_mp4_without_ffmpeg_says_what_to_do(monkeypatch):
    monkeypatch.setattr(movies.shutil, "which", lambda name: None)
    with pytest.raises(OSError, match="apt-get install ffmpeg"):
        movies.write("walk.mp4", moving_square(1), 10.0)


def test_pictures_and_movies_of_a_run(tmp_path):
    sim = scree.Simulation(step=1e-3, out=tmp_path / "out")
    sim.obstacle(scree.box(center=(0, 0, -0.5), size=(4, 4, 1)))
    sim.rigid(scree.sphere(center=(0, 0, 0.3), radius=0.1), density=1000, velocity=(1, 0, 0))
    sim.run(0.05, output=0.01, quiet=True)
    picture = scree.picture(tmp_path / "out", size=(320, 180), samples=1, title="one ball")
    assert picture.shape == (180, 320, 3) and picture.dtype == np.uint8
    bare = scree.picture(tmp_path / "out", size=(320, 180), samples=1, title="another ball")
    assert (picture != bare).any()
    scree.render(tmp_path / "out", tmp_path / "ball.png", size=(320, 180), samples=1, title="one ball")
    assert np.array_equal(np.asarray(Image.open(tmp_path / "ball.png")), picture)
    shares = []
    scree.render(tmp_path / "out", tmp_path / "ball.gif", size=(160, 90), samples=1, every=2, progress=shares.append)
    assert len(shown(str(tmp_path / "ball.gif"))) == 3 and shares == pytest.approx([1 / 3, 2 / 3, 1])
    with pytest.raises(ValueError, match=".webp"):
        scree.render(tmp_path / "out", tmp_path / "ball.bmp")
