"""What a map's picture is made of: cells, density, dots, colours, polygons."""

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFont, QImage, QPainter
from PySide6.QtWidgets import QApplication

from app.views.map.drawing.camera import Camera, fit_box
from app.views.map.drawing.contours import (
    LEVELS,
    MIN_POINTS,
    N_CELLS,
    density_field,
    field_box,
    find_contours,
)
from app.views.map.drawing.density import DensityLayer, DensityMaximum, draw_density
from app.views.map.drawing.grid import Box, PointGrid
from app.views.map.drawing.overlay import MapLabel, paint_lines, place_labels
from app.views.map.drawing.palettes import (
    MapColours,
    density_palette,
    inactive_colour,
    to_rows,
)
from app.views.map.drawing.picture import (
    FAINTEST_DOT,
    MAX_DOTS,
    MAX_LIT_DOTS,
    N_OPACITIES,
    OPAQUE_DOTS,
    DrawnPoints,
    Frame,
    dot_opacity,
    dot_radius,
    dot_stamp,
    draw_map,
    lit_radius,
)
from app.views.widgets.class_colours import class_colours
from app.views.widgets.theme import DARK, LIGHT, ThemeColours, contrast, make_palette

# Machado, Oliveira and Fernandes 2009, severity 1: protan-, deuteran- and tritanopia.
DICHROMACIES = (
    [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
)
TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
WHITE = np.array([0.95047, 1.0, 1.08883])
LOOK = MapColours(
    to_rows(["#FFFFFF"])[0], to_rows(["#C0C0C0"])[0], to_rows(["#FF0000", "#0000FF"])
)


def make_grid(xy: NDArray[np.float32]) -> PointGrid:
    grid = PointGrid()
    for _ in grid.build(xy):
        pass
    return grid


@pytest.fixture
def cloud() -> NDArray[np.float32]:
    """5,000 points: float32 (n, 2)."""
    return np.random.default_rng(1).normal(size=(5_000, 2)).astype(np.float32)


def test_the_grid_holds_every_point_once(cloud: NDArray[np.float32]) -> None:
    grid = make_grid(cloud)
    assert sorted(grid.order.tolist()) == list(range(len(cloud)))
    np.testing.assert_array_equal(grid.x, cloud[grid.order, 0])
    np.testing.assert_array_equal(grid.y, cloud[grid.order, 1])


@pytest.mark.parametrize(
    "box", [Box(-0.5, -0.2, 0.1, 0.9), Box(-9, -9, 9, 9), Box(2, 2, 2.5, 2.5)]
)
def test_no_point_of_a_box_is_missed(box: Box, cloud: NDArray[np.float32]) -> None:
    grid = make_grid(cloud)
    found = set(np.arange(len(grid))[grid.within(box)].tolist())
    is_in = (grid.x >= box.left) & (grid.x <= box.right)
    is_in &= (grid.y >= box.bottom) & (grid.y <= box.top)
    assert set(np.flatnonzero(is_in).tolist()) <= found


def test_the_nearest_point_is_that_of_a_search_through_all(
    cloud: NDArray[np.float32],
) -> None:
    grid = make_grid(cloud)
    for x, y in ((0.0, 0.0), (1.3, -0.4), (-2.0, 2.0)):
        squares = (grid.x - x) ** 2 + (grid.y - y) ** 2
        assert grid.nearest(x, y, 1.0) == squares.argmin()
    assert grid.nearest(50.0, 50.0, 1.0) is None


def test_a_lasso_holds_what_its_edges_surround(cloud: NDArray[np.float32]) -> None:
    grid = make_grid(cloud)
    turns = np.linspace(0, 2 * np.pi, 400, endpoint=False)
    circle = np.stack([np.cos(turns), np.sin(turns)], 1)
    distance = np.hypot(grid.x, grid.y)
    is_sure = np.abs(distance - 1) > 1e-4  # from the rim
    np.testing.assert_array_equal(grid.inside(circle)[is_sure], (distance < 1)[is_sure])
    # An hourglass: its two halves are inside, what is left and right of them is not.
    hourglass = np.array([[-1, -1], [1, -1], [-1, 1], [1, 1]], np.float64)
    inside = grid.inside(hourglass)
    is_near = (np.abs(grid.x) < np.abs(grid.y)) & (np.abs(grid.y) < 1)
    is_edge = np.abs(np.abs(grid.x) - np.abs(grid.y)) < 1e-4
    np.testing.assert_array_equal(inside[~is_edge], is_near[~is_edge])


@pytest.mark.parametrize("n", [0, 1, 7])
def test_equal_points_have_a_place(n: int) -> None:
    grid = make_grid(np.full((n, 2), 3.5, np.float32))
    assert len(grid) == n
    fit = fit_box(grid.bounds, 100, 80)
    assert np.isfinite(fit.camera).all()
    picture = draw_map(
        DrawnPoints(grid, np.zeros(n, np.uint8)), fit.camera.frame(100, 80), LOOK
    )
    assert picture.n_points == n
    assert bool((picture.image == 0xFFFF0000).any()) == (n > 0)


def test_density_is_a_share_of_the_logarithm_and_the_mean_of_the_colours() -> None:
    pixels = np.array([0] * 16 + [1] * 4 + [2], np.int64)
    codes = np.array([0] * 8 + [1] * 8 + [0] * 4 + [1], np.uint8)
    image, most = draw_density(DensityLayer(pixels, codes, (1, 4), 1), None, LOOK)
    assert most == DensityMaximum(16, 0)
    parts = [
        ((int(one) >> 16) & 255, (int(one) >> 8) & 255, int(one) & 255) for one in image
    ]
    assert parts[3] == (255, 255, 255)  # nothing there
    assert parts[0] == (127, 0, 127)  # full: red and blue in equal parts
    half = 0.42 + 0.58 * np.log(4) / np.log(16)
    assert parts[1] == (255, *[int(255 * (1 - half))] * 2)
    assert parts[2] == (*[int(255 * (1 - 0.42))] * 2, 255)


def test_very_many_points_of_one_pixel_keep_their_colour() -> None:
    n = 20_000  # more than the packed sums hold
    pixels, codes = np.zeros(n, np.int64), np.tile([0, 1], n // 2).astype(np.uint8)
    image, _ = draw_density(DensityLayer(pixels, codes, (1, 1), 1), None, LOOK)
    assert int(image[0]) == 0xFF7F007F


def test_grey_points_lie_below_those_in_colour() -> None:
    pixels, codes = np.array([0, 0, 1], np.int64), np.zeros(3, np.uint8)
    lit = np.array([True, False, False])
    image, most = draw_density(DensityLayer(pixels, codes, (1, 2), 1), lit, LOOK)
    assert most == DensityMaximum(1, 1)
    red, green, _ = [(int(image[0]) >> shift) & 255 for shift in (16, 8, 0)]
    assert red > green  # coloured
    assert int(image[1]) & 255 == (int(image[1]) >> 16) & 255 < 255  # grey


def test_a_point_is_drawn_where_the_frame_has_it() -> None:
    grid = make_grid(np.array([[0, 0], [1, 1], [0.25, 0.75]], np.float32))
    frame = Frame(41, 41, 0.0, 1.0, 40.0)
    picture = draw_map(DrawnPoints(grid, np.zeros(3, np.uint8)), frame, LOOK)
    assert picture.n_points == 3
    assert picture.radius == dot_radius(3) == 6
    for column, row in ((0, 40), (40, 0), (10, 10)):
        assert int(picture.image[row, column]) == 0xFFFF0000
    assert int(picture.image[20, 30]) == 0xFFFFFFFF


def test_touching_dots_have_no_light_outline_between_them() -> None:
    xy = np.array([[0.4, 0.5], [0.5, 0.5]], np.float32)  # at the pixels 16 and 20
    frame = Frame(41, 41, 0.0, 1.0, 40.0)
    picture = draw_map(DrawnPoints(make_grid(xy), np.zeros(2, np.uint8)), frame, LOOK)
    assert picture.radius == 6
    assert set(picture.image[20, 11:26].tolist()) == {0xFFFF0000}


def test_dots_become_density_where_there_are_very_many() -> None:
    xy = np.random.default_rng(2).random((MAX_DOTS + 1, 2)).astype(np.float32)
    points = DrawnPoints(make_grid(xy), np.zeros(len(xy), np.uint8))
    frame = fit_box(points.grid.bounds, 300, 300).camera.frame(300, 300)
    assert draw_map(points, frame, LOOK).radius == 0
    near = draw_map(points, frame._replace(scale=20 * frame.scale), LOOK)
    assert near.radius > 0
    assert near.n_points < MAX_DOTS


def test_a_stamp_is_round() -> None:
    steps, cover = dot_stamp(2.5)
    distance = np.hypot(steps[:, 0], steps[:, 1])
    assert cover[distance <= 2].min() == 1
    assert cover[distance > 2.5].max() < 1
    assert len(steps) == len({tuple(step) for step in steps.tolist()})


def test_what_is_under_the_mouse_stays_there_while_it_zooms() -> None:
    fit = fit_box(Box(-2, -2, 2, 2), 800, 600)
    camera = fit.camera.zoomed(3.0, fit, 120.0, -70.0)
    before = fit.camera.x + 120 / fit.camera.scale, fit.camera.y + 70 / fit.camera.scale
    after = camera.x + 120 / camera.scale, camera.y + 70 / camera.scale
    assert after == pytest.approx(before)
    assert fit.camera.zoomed(1e9, fit, 0, 0).scale == fit.max_scale
    assert fit.camera.moved(10, 0) == Camera(
        fit.camera.x - 10 / fit.camera.scale, fit.camera.y, fit.camera.scale
    )


@pytest.mark.parametrize("tokens", [LIGHT, DARK])
def test_classes_are_told_apart_with_any_colour_blindness(tokens: ThemeColours) -> None:
    colours = class_colours(tokens)
    for colour in colours:
        assert contrast(colour, tokens.surface) >= 3  # WCAG 2.1, 1.4.11
    linear = _linear(to_rows([*colours, inactive_colour(tokens)]))
    kinds = [(np.eye(3), 17.0), *((np.array(one), 4.5) for one in DICHROMACIES)]
    for matrix, least in kinds:  # CIEDE2000: 1 is just seen
        labs = _lab(np.clip(linear @ matrix.T, 0, 1))
        apart = ciede2000(labs[:, None], labs[None])
        assert apart[~np.eye(len(labs), dtype=bool)].min() > least


def test_the_distance_of_colours_is_that_of_published_examples() -> None:
    """Sharma, Wu and Dalal 2005, table 1, pairs 1, 7 and 17."""
    first = np.array([[50, 2.6772, -79.7751], [50, 0, 0], [50, 2.5, 0]])
    second = np.array([[50, 0, -82.7485], [50, -1, 2], [73, 25, -18]])
    distances = ciede2000(first, second)
    assert distances == pytest.approx([2.0425, 2.3669, 27.1492], abs=1e-4)


def test_a_class_has_the_same_hue_in_both_themes() -> None:
    hues = []
    for tokens in (LIGHT, DARK):
        linear = _linear(to_rows(list(class_colours(tokens))))
        ok_lab = np.cbrt(linear @ TO_LMS.T) @ TO_OKLAB.T
        assert np.hypot(ok_lab[:, 1], ok_lab[:, 2]).min() > 0.08  # no grey
        hues.append(np.degrees(np.arctan2(ok_lab[:, 2], ok_lab[:, 1])))
    apart = np.abs((hues[0] - hues[1] + 180) % 360 - 180)
    assert apart.max() <= 20


@pytest.mark.parametrize("colours", [LIGHT, DARK])
def test_density_grows_in_even_steps_of_lightness(colours: ThemeColours) -> None:
    palette = density_palette(colours)
    lights = _lab(_linear(palette))[:, 0]
    steps = np.diff(lights[::16])
    assert (np.sign(steps) == np.sign(steps[0])).all()
    assert abs(steps).max() < 2.5 * abs(steps).min()
    first, last = (QColor(*palette[k].tolist()).name() for k in (0, -1))
    assert contrast(last, colours.surface) > 4 * contrast(first, colours.surface)


# Ottosson 2020: OKLab.
TO_LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
TO_OKLAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def _linear(rows: NDArray[np.uint8]) -> NDArray[np.float64]:
    values = rows / 255.0
    return np.where(
        values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4
    )


def _lab(linear: NDArray[np.float64]) -> NDArray[np.float64]:
    """CIELAB of linear sRGB (n, 3), white D65."""
    xyz = linear @ TO_XYZ.T / WHITE
    f = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return np.stack(
        [116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])], 1
    )


def ciede2000(
    first: NDArray[np.float64], second: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the distances of colours in CIELAB (…, 3), after Sharma et al. 2005."""

    def shrink(chroma: NDArray[np.float64]) -> NDArray[np.float64]:
        shrunk: NDArray[np.float64] = np.sqrt(chroma**7 / (chroma**7 + 25.0**7))
        return shrunk

    chromas = (
        np.hypot(first[..., 1], first[..., 2]),
        np.hypot(second[..., 1], second[..., 2]),
    )
    stretch = 1.5 - 0.5 * shrink((chromas[0] + chromas[1]) / 2)
    a, b = first[..., 1] * stretch, second[..., 1] * stretch
    c1, c2 = np.hypot(a, first[..., 2]), np.hypot(b, second[..., 2])
    h1 = np.degrees(np.arctan2(first[..., 2], a)) % 360
    h2 = np.degrees(np.arctan2(second[..., 2], b)) % 360
    turn = np.where(c1 * c2 == 0, 0, (h2 - h1 + 180) % 360 - 180)
    d_hue = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2))
    light, chroma = (first[..., 0] + second[..., 0]) / 2, (c1 + c2) / 2
    hue = np.where(c1 * c2 == 0, h1 + h2, (h1 + turn / 2) % 360)
    waves = ((0.17, 1, -30), (-0.24, 2, 0), (-0.32, 3, 6), (0.20, 4, -63))
    t = 1 - sum(w * np.cos(np.radians(k * hue + at)) for w, k, at in waves)
    far = (light - 50) ** 2
    parts = (
        (second[..., 0] - first[..., 0]) / (1 + 0.015 * far / np.sqrt(20 + far)),
        (c2 - c1) / (1 + 0.045 * chroma),
        d_hue / (1 + 0.015 * chroma * t),
    )
    blue = 60 * np.exp(-(((hue - 275) / 25) ** 2))
    turned = -2 * shrink(chroma) * np.sin(np.radians(blue)) * parts[1] * parts[2]
    apart: NDArray[np.float64] = np.sqrt(sum(part**2 for part in parts) + turned)
    return apart


def test_contours_surround_the_densest_parts() -> None:
    draw = np.random.default_rng(3)
    middles = np.array([[0.0, 0.0], [8.0, 0.0]])
    xy = np.concatenate([draw.normal(size=(5_000, 2)) + middle for middle in middles])
    grid = make_grid(xy.astype(np.float32))
    *_, contours = find_contours(grid, None)
    assert contours is not None
    assert len(contours) == len(LEVELS)
    for path in contours[1:4]:
        assert path.contains(QPointF(0.0, 0.0))
        assert path.contains(QPointF(8.0, 0.0))
        assert not path.contains(QPointF(4.0, 0.0))
    is_left = grid.x < 4
    *_, left = find_contours(grid, is_left)
    assert left is not None
    assert left[2].contains(QPointF(0.0, 0.0))
    assert all(path.boundingRect().right() < 4 for path in left)
    assert list(find_contours(grid, np.arange(len(xy)) < MIN_POINTS - 1)) == [()]


def test_the_density_field_counts_every_point_of_the_core() -> None:
    xy = np.random.default_rng(4).normal(size=(400, 2)).astype(np.float32)
    grid = make_grid(xy)
    box = field_box(grid.core)
    field = density_field(grid, None, box)
    assert field.shape == (N_CELLS, N_CELLS)
    assert field.sum() == pytest.approx(400, rel=0.01)  # smoothing moves, adds nothing
    column, row = np.unravel_index(field.argmax(), field.shape)
    assert abs(box.left + (column + 0.5) * box.width / N_CELLS) < 0.6
    assert abs(box.bottom + (row + 0.5) * box.height / N_CELLS) < 0.6


def test_contours_of_a_small_part_show_its_detail() -> None:
    draw = np.random.default_rng(6)
    middles = [[x, 0.0] for x in (0.0, 1.0, 40.0)]  # two near each other, one far away
    xy = np.concatenate(
        [draw.normal(0, 0.15, (1_000, 2)) + middle for middle in middles]
    )
    grid = make_grid(xy.astype(np.float32))

    def are_apart(part: Box | None) -> bool:
        *_, found = find_contours(grid, None, part)
        assert found is not None
        ends = [path for path in found if path.contains(QPointF(0.0, 0.0))]
        return bool(ends) and not any(path.contains(QPointF(0.5, 0.0)) for path in ends)

    assert not are_apart(None)
    assert are_apart(Box(-1.0, -1.0, 2.0, 1.0))


def test_no_contour_surrounds_a_single_point() -> None:
    line = np.linspace(0, 1, 60)
    grid = make_grid(np.stack([line, line], 1).astype(np.float32))
    *_, near = find_contours(grid, None, Box(0.4, 0.4, 0.6, 0.6))
    assert near is not None
    assert all(path.isEmpty() for path in near)


def test_many_dots_are_translucent_and_overlapping_ones_darker() -> None:
    assert dot_opacity(10) == dot_opacity(OPAQUE_DOTS) == 1
    assert dot_opacity(MAX_DOTS) == pytest.approx(FAINTEST_DOT)
    assert 1 > dot_opacity(5_000) > dot_opacity(20_000) > FAINTEST_DOT
    n = 10_000
    xy = np.zeros((n, 2), np.float32)
    xy[:] = (0.25, 0.5)  # all but one in the same place
    xy[0] = (0.75, 0.5)
    points = DrawnPoints(make_grid(xy), np.zeros(n, np.uint8))
    picture = draw_map(points, Frame(41, 41, 0.0, 1.0, 40.0), LOOK)
    assert int(picture.image[20, 10]) == 0xFFFF0000
    green = int(picture.image[20, 30]) >> 8 & 255  # red over white: 255 · (1 − a)
    assert green == pytest.approx(255 * (1 - dot_opacity(n)), abs=255 / N_OPACITIES)


def make_labels(chosen: str = "") -> list[MapLabel]:
    places = (("1", 0.6, "wind, storm"), ("2", 1.0, "harbour"), ("3", 3.2, "bread"))
    return [
        MapLabel(x, 0.5, number, number == chosen, words) for number, x, words in places
    ]


def placed_texts(labels: list[MapLabel], scale: float) -> set[str]:
    font = QFont()
    font.setPixelSize(12)
    frame = Frame(round(4 * scale), round(scale), 0.0, 1.0, scale)
    placed = place_labels(labels, frame, font)
    for at, (_, _, room) in enumerate(placed):
        assert not any(room.intersects(other) for _, _, other in placed[:at])
    return {text for _, text, _ in placed}


def test_a_label_at_the_edge_of_the_map_is_whole(qapp: object) -> None:
    frame = Frame(300, 200, 0.0, 200.0, 1.0)
    edges = [(295, 100), (3, 50), (150, 198)]
    labels = [MapLabel(x, y, "1", words="harbour, storm") for x, y in edges]
    placed = place_labels(labels, frame, QFont())
    assert len(placed) == 3
    whole = QRectF(0, 0, 300, 200)
    assert all(whole.contains(room) for _, _, room in placed)
    outside = MapLabel(303, 100, "1", words="storm")
    assert not place_labels([outside], frame, QFont())


def test_a_number_alone_is_no_name_of_a_cluster(qapp: object) -> None:
    label = MapLabel(1.0, 0.5, "24")
    assert placed_texts([label], 400) == set()
    assert placed_texts([label._replace(is_chosen=True)], 400) == {"24"}


def test_words_of_clusters_cover_no_label(
    qapp: object,
) -> None:
    labels = make_labels()
    # where the second label's words would cover the first one's
    assert placed_texts(labels, 80) == {"1  wind, storm", "3  bread"}
    assert placed_texts(labels, 180) == {"1  wind, storm", "3  bread"}
    everything = {"1  wind, storm", "2  harbour", "3  bread"}
    assert placed_texts(labels, 400) == everything


def test_the_chosen_cluster_always_has_its_words(qapp: object) -> None:
    assert placed_texts(make_labels("2"), 80) == {"2  harbour", "3  bread"}


def test_a_label_is_above_points_that_it_would_cover(qapp: object) -> None:
    label = MapLabel(0.5, 0.5, "1", words="wind", reach=0.02)
    for scale, is_above in ((200, True), (2_000, False)):
        frame = Frame(scale, scale, 0.0, 1.0, scale)
        ((_, _, room),) = place_labels([label], frame, QFont())
        assert (room.bottom() < (0.5 - label.reach) * scale) is is_above
        assert room.contains(QPointF(0.5 * scale, 0.5 * scale)) is not is_above


def test_a_label_covers_none_of_a_few_highlighted_points(qapp: object) -> None:
    frame = Frame(400, 400, 0.0, 1.0, 400.0)
    (label, *_) = make_labels()
    ((_, _, free),) = place_labels([label], frame, QFont())
    hits = [free.center(), free.center() + QPointF(9, 3)]
    ((_, text, room),) = place_labels([label], frame, QFont(), hits)
    assert text == "1  wind, storm"
    assert not any(room.contains(hit) for hit in hits)
    assert abs(room.center().y() - free.center().y()) <= 3 * free.height(), "near it"
    both = [label, label._replace(text="2")]
    assert len(place_labels(both, frame, QFont(), hits)) == 1, "no second one near it"
    everywhere = [QPointF(x, y) for x in range(0, 400, 20) for y in range(0, 400, 10)]
    assert not place_labels([label], frame, QFont(), everywhere)
    chosen = label._replace(is_chosen=True)
    assert len(place_labels([chosen], frame, QFont(), everywhere)) == 1


def test_labels_outside_the_picture_take_no_room(qapp: object) -> None:
    labels = [MapLabel(5.0, 0.5, "1", words="wind"), *make_labels()[2:]]
    assert placed_texts(labels, 100) == {"3  bread"}


@pytest.mark.parametrize(("n", "least"), [(1, 3.0), (400, 2.0)])
@pytest.mark.parametrize("colours", [LIGHT, DARK])
def test_lines_between_translations_stand_out(
    n: int, least: float, colours: ThemeColours, qapp: QApplication
) -> None:
    grid = make_grid(np.array([[0, 0], [1, 0]], np.float32))
    picture = QImage(40, 20, QImage.Format.Format_RGB32)
    picture.fill(QColor(colours.surface))
    before = qapp.palette()
    qapp.setPalette(make_palette(colours))
    painter = QPainter(picture)
    frame = Frame(40, 20, left=0.0, top=0.25, scale=40.0)
    lines = np.array([[0, 1]] + [[0, 0]] * (n - 1), np.int64)
    paint_lines(painter, lines, grid, frame)
    painter.end()
    qapp.setPalette(before)
    shown = picture.pixelColor(20, 10).name()
    assert contrast(shown, colours.surface) >= least


def test_few_highlighted_dots_are_larger_and_without_a_light_rim() -> None:
    n = 10_000
    assert lit_radius(n, n) == dot_radius(n) == 2
    assert lit_radius(n, 17) == 4
    assert lit_radius(100, 17) == dot_radius(100) == 6
    side = np.arange(100) / 100
    xy = np.stack(np.meshgrid(side, side), -1).reshape(-1, 2).astype(np.float32)
    grid = make_grid(xy)
    is_lit = np.zeros(n, np.bool_)
    index = int(np.hypot(grid.x - 0.5, grid.y - 0.5).argmin())
    is_lit[index] = True
    points = DrawnPoints(grid, np.zeros(n, np.uint8), is_lit)
    frame = Frame(201, 201, 0.0, 1.0, 200.0)
    picture = draw_map(points, frame, LOOK)
    greens = picture.image[100, 100:140] >> 8 & 255
    assert set(greens[:4].tolist()) == {0}  # red
    assert greens[4] > 0  # the rim, never lighter than the grey dots around it
    assert greens[:20].max() <= greens[20:].max() < 255


def test_found_points_are_dots_among_very_many_others() -> None:
    n = MAX_DOTS + 10
    xy = np.random.default_rng(5).random((n, 2)).astype(np.float32)
    grid = make_grid(xy)
    is_lit = np.zeros(n, np.bool_)
    is_lit[7] = True
    points = DrawnPoints(grid, np.zeros(n, np.uint8), is_lit)
    frame = Frame(300, 300, 0.0, 1.0, 300.0)
    picture = draw_map(points, frame, LOOK)
    assert picture.radius == 0
    right, down = frame.pixel_at(float(grid.x[7]), float(grid.y[7]))
    parts = picture.image[int(down) - 2 : int(down) + 3, int(right)]
    assert set(parts.tolist()) == {0xFFFF0000}


def test_very_many_highlighted_points_are_shaded_by_density() -> None:
    n = MAX_DOTS + 10
    xy = np.random.default_rng(5).random((n, 2)).astype(np.float32)
    for n_lit, is_dense in ((MAX_LIT_DOTS, False), (MAX_LIT_DOTS + 1, True)):
        points = DrawnPoints(make_grid(xy), np.zeros(n, np.uint8), np.arange(n) < n_lit)
        picture = draw_map(points, Frame(300, 300, 0.0, 1.0, 300.0), LOOK)
        assert (picture.maximum.coloured > 0) == is_dense
