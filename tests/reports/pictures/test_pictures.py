"""Pictures say what a scene holds and are well-formed whatever it holds; nothing comes along with them."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samplercheck.reports import pictures
from samplercheck.reports.pictures._sheet import Sheet
from samplercheck.values.scene import Scene, SeenPass
from tests.support.handmade import GOLDEN
from tests.support.strategies import scenes

SVG = "{http://www.w3.org/2000/svg}"
DRAWERS = (pictures.grid, pictures.fates, pictures.timeline, pictures.bars)
WINDOW = 368
"""What a window of 400 px leaves to a picture."""
TAGS = {"svg", "g", "rect", "text", "line", "path", "title", "desc"}
HOSTILE = st.sampled_from(
    ["<script>alert(1)</script>", "]]>", '" onload="x', "'&amp;", "\x00\x1b[31m", "\u202e"]
)


def a_pass(*ranks, epoch=0, **fields):
    """A pass from the samples of each rank: one in each step, or a tuple of them."""
    steps = tuple(tuple(step if isinstance(step, tuple) else (step,) for step in rank) for rank in ranks)
    return SeenPass(
        **{"experiment": "epochs", "label": f"epoch {epoch}", "epoch": epoch, "ranks": steps, **fields}
    )


def a_scene(*passes, **fields):
    """A scene of two ranks."""
    return Scene(**{"length": 5, "world_size": 2, "passes": passes, **fields})


UNEVEN = a_scene(a_pass([0, 2, 4], [1, 3]), length=5, marked=((0, 1, 2),))
DOUBLED = a_scene(a_pass([0, (2, 1)], [1, 3]), a_pass([3, 3], [3, 0], epoch=1), length=5, marked=((0, 0, 1),))
RESUMED = a_scene(
    a_pass([4, 0, 2], [1, 3, 0], label="epoch 0, not stopped"),
    a_pass([0, 1, 2], [3, 4, 0], epoch=1, label="epoch 1, not stopped"),
    a_pass([4], [1], stopped=1, label="epoch 0, stopped after 1 step"),
    a_pass([0, 2], [1, 3], label="epoch 0, resumed after 1 step"),
    a_pass([0, 1, 2], [3, 4, 0], epoch=1, label="epoch 1, after the resumed one"),
    marked=((3, 1, 0),),
)
MOVED = a_scene(
    a_pass([0, 2], [1, 3], label="epoch 0, not stopped"),
    a_pass([0], [1], stopped=1, label="epoch 0, stopped after 1 step"),
    a_pass([2], [], [1], label="epoch 0, resumed on 3 ranks"),
    length=4,
)
COUNTED = a_scene(length=3, observed=(600.0, 200.0, 0.0), expected=(266.667,) * 3)
WHOLE = {
    "uneven_grid": (pictures.grid, UNEVEN),
    "doubled_fates": (pictures.fates, DOUBLED),
    "resumed_timeline": (pictures.timeline, RESUMED),
    "counted_bars": (pictures.bars, COUNTED),
}


def parsed(drawing):
    """The picture as a tree."""
    return ET.fromstring(drawing)


def words(drawing):
    """All that is written in a picture, from its beginning to its end."""
    return [one.text for one in parsed(drawing).iter(f"{SVG}text")]


def wrong(drawing):
    """The number of boxes that are marked."""
    return sum(
        one.get("class") == "sc-wrong" and one.get("fill") == "none"
        for one in parsed(drawing).iter(f"{SVG}rect")
    )


@pytest.mark.parametrize("name", WHOLE)
def test_a_picture_is_as_its_golden_file(name):
    draw, scene = WHOLE[name]
    assert draw(scene) == (GOLDEN / f"{name}.svg").read_text(encoding="utf-8").rstrip("\n")


@settings(max_examples=60)
@given(scenes(st.text(st.characters(exclude_categories=()), max_size=9) | HOSTILE))
def test_any_scene_makes_well_formed_pictures_of_shapes_and_words_alone(scene):
    for draw in DRAWERS:
        drawing = draw(scene)
        if not drawing:
            continue
        tree = parsed(drawing.encode())
        assert {one.tag.removeprefix(SVG) for one in tree.iter()} <= TAGS
        names = {name for one in tree.iter() for name in one.attrib}
        assert not [name for name in names if name.startswith("on") or name in ("id", "href")]
        assert (tree.get("role"), bool(tree.get("aria-label"))) == ("img", True)
        assert "nan" not in tree.get("viewBox")
        assert len(drawing) < 400_000


@settings(max_examples=40)
@given(scenes(HOSTILE))
def test_what_a_scene_says_is_text_and_no_markup(scene):
    for draw in DRAWERS:
        drawing = draw(scene)
        assert "<script" not in drawing
        assert ' onload="x' not in drawing
        assert not set("\x00\x1b\u202e") & set(drawing)


def test_a_step_that_lacks_is_marked_and_told_to_who_cannot_see_it():
    assert wrong(pictures.grid(UNEVEN)) == 2  # the cell and the key
    assert "\N{EN DASH}" in words(pictures.grid(UNEVEN))
    assert "rank 1 yields 1; 3 (marked: step 2)" in parsed(pictures.grid(UNEVEN)).find(f"{SVG}desc").text


def test_a_row_that_ended_early_says_why():
    scene = a_scene(a_pass([0, 1], [2], ended=("", "raised KeyError")))
    assert "\N{LEFTWARDS ARROW} raised KeyError" in words(pictures.grid(scene))


def test_of_many_steps_the_marked_ones_are_shown():
    scene = a_scene(a_pass(range(60), range(100, 160)), length=200, marked=((0, 1, 33),))
    shown = words(pictures.grid(scene))
    assert {"0", "33", "133", "159", "\N{HORIZONTAL ELLIPSIS}"} <= set(shown)
    assert "20" not in shown


def test_only_passes_of_epochs_with_marks_are_in_a_grid():
    shown = words(pictures.grid(a_scene(a_pass([0]), a_pass([0], epoch=1), marked=((1, 0, 0),))))
    assert "epoch 1" in shown
    assert "epoch 0" not in shown


def test_a_pass_like_the_one_before_is_named_and_not_drawn_again():
    passes = [a_pass(((0,), (1,)), epoch=number, label=f"epoch {number}") for number in range(3)]
    drawing = pictures.grid(a_scene(*passes, marked=()))
    assert drawing.count("rank 0, step 0: 0") == 1
    assert words(drawing).count("the same, step by step, as epoch 0") >= 2


def test_where_the_marked_rows_are_empty_all_passes_are_in_a_grid():
    shown = words(pictures.grid(a_scene(a_pass([0]), a_pass([], epoch=1), marked=((1, 0, 0),))))
    assert {"epoch 0", "epoch 1"} <= set(shown)
    hung = a_scene(a_pass([], ended=("hung",)), marked=((0, 0, 0),))
    (said,) = [one for one in parsed(pictures.grid(hung)).iter(f"{SVG}text") if "hung" in one.text]
    (lack,) = [one for one in parsed(pictures.grid(hung)).iter(f"{SVG}rect") if one.get("class") == "sc-lack"]
    assert float(said.get("x")) > float(lack.get("x")) + float(lack.get("width"))


def test_a_sample_that_nobody_got_is_told_from_one_that_is_only_left_out():
    cross, left = "\N{MULTIPLICATION SIGN}", "?"
    assert words(pictures.fates(DOUBLED)).count(cross) == 4
    shown = words(pictures.fates(a_scene(a_pass([0], [1], cut=True))))
    assert (shown.count(cross), shown.count(left)) == (0, 3)
    assert "epoch 0: no rank got 4" in parsed(pictures.fates(DOUBLED)).find(f"{SVG}desc").text


def test_a_sample_that_came_twice_has_both_ranks_and_one_that_came_three_times_their_number():
    shown = words(pictures.fates(DOUBLED))
    assert "3\N{MULTIPLICATION SIGN}" in shown
    assert (
        parsed(pictures.fates(DOUBLED))
        .find(f"{SVG}desc")
        .text.startswith("epoch 0: no rank got 4; 1 came more")
    )


def test_a_timeline_says_what_comes_again_and_what_never_comes():
    shown = words(pictures.timeline(RESUMED))
    assert "\N{LEFTWARDS ARROW} comes again: 1" in shown
    assert "\N{LEFTWARDS ARROW} never comes: 0" in shown
    assert "rank 0: nothing is lost" in parsed(pictures.timeline(RESUMED)).find(f"{SVG}desc").text


def test_a_run_that_went_as_it_should_has_no_mark():
    sound = a_scene(a_pass([4, 0, 2], [1, 3, 0]), a_pass([4], [1], stopped=1), a_pass([0, 2], [3, 0]))
    assert wrong(pictures.timeline(sound)) == 0


def test_ranks_of_two_worlds_are_held_against_each_other_together():
    shown = words(pictures.timeline(MOVED))
    assert "ranks 0-2" in shown
    assert "\N{LEFTWARDS ARROW} never comes: 3" in shown
    assert "\N{LEFTWARDS ARROW} comes again: 1" in shown


def test_the_sample_that_is_furthest_off_is_named():
    assert "Sample 0 came 600 times; 266.7 were expected." in " ".join(words(pictures.bars(COUNTED)))


def test_a_narrow_window_shows_all_that_is_said_of_small_pictures():
    assert all(float(parsed(draw(scene)).get("width")) <= WINDOW for draw, scene in WHOLE.values())
    sheet = Sheet()
    sheet.key(range(16), marked="what breaks the law")
    sheet.note("one long note " * 9)
    sheet.heading("one long heading " * 9)
    assert sheet.width <= WINDOW
    rows = {one.get("y") for one in parsed(sheet.finish("it", "", "")).iter(f"{SVG}text")}
    assert len(rows) >= 9


def test_there_is_no_picture_of_what_a_scene_has_not():
    assert [bool(draw(a_scene())) for draw in DRAWERS] == [False] * 4
    assert [bool(draw(UNEVEN)) for draw in DRAWERS] == [True, True, False, False]
    assert [bool(draw(RESUMED)) for draw in DRAWERS] == [True, False, True, False]
    assert [bool(draw(COUNTED)) for draw in DRAWERS] == [False, False, False, True]


def test_ranks_beyond_the_eighth_have_stripes_too():
    scene = a_scene(a_pass(*[[rank] for rank in range(10)]), length=10, world_size=10)
    stripes = [one for one in parsed(pictures.grid(scene)).iter(f"{SVG}path") if one.get("stroke")]
    assert len(stripes) == 2
