"""The heat map: each square once, in the form that says what became of it, and in words."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from typing import Any

import pytest

from samplercheck.reports.pictures.heat import ALL, HELD, SOME, UNTRIED, heat, legend, share_of


def square(length: int, world: int, tried: int = 2, broken: int = 0, **knobs: Any) -> dict[str, Any]:
    """A square of a map, as it stands in report.json."""
    plain = {"batch_size": 1, "shuffle": False, "drop_last": False, **knobs}
    return {"length": length, "world_size": world, "tried": tried, "broken": broken, **plain}


def drawn(picture: str) -> dict[str, int]:
    """The number of squares of each form in a picture."""
    svg = ET.fromstring(picture)
    paths = [one.attrib for one in svg.iter("{http://www.w3.org/2000/svg}path") if "class" in one.attrib]
    return {one["class"]: one["d"].count("M") for one in paths}


def test_a_square_has_the_form_of_what_became_of_it():
    assert share_of(square(1, 1, tried=0)) == UNTRIED
    assert share_of(square(1, 1)) == HELD
    assert share_of(square(1, 1, broken=1)) == SOME
    assert share_of(square(1, 1, broken=2)) == ALL


def test_every_square_is_drawn_once_and_broken_ones_have_marks():
    squares = [square(0, 1), square(1, 1, broken=1), square(2, 1, broken=2), square(3, 1, tried=0)]
    [(label, [(caption, picture)])] = heat(squares)
    assert (label, caption) == ("", "")
    forms = ("sc-held", "sc-some", "sc-some-mark", "sc-all", "sc-all-mark", "sc-untried")
    assert drawn(picture) == dict.fromkeys(forms, 1)


def test_both_axes_say_what_they_are():
    [(_, [(_, picture)])] = heat([square(3, 2)])
    assert ">dataset length</text>" in picture
    assert ">ranks</text>" in picture


def test_no_two_squares_lie_on_one_another():
    squares = [square(length, world) for length in range(13) for world in (2, 4, 8)]
    [(_, [(_, picture)])] = heat(squares)
    assert drawn(picture) == {"sc-held": 39}
    assert len(set(re.findall(r"M\d+ \d+", picture))) == 39


def test_whoever_cannot_see_it_is_told_how_much_is_broken_and_where_it_begins():
    squares = [square(0, 2), square(3, 2, broken=1), square(1, 2, broken=2), square(9, 2, tried=0)]
    [(_, [(_, picture)])] = heat(squares)
    assert "3 of 4 squares tried, a law broken in 2 of them, in every case of 1" in picture
    assert "the first at length 1, world size 2." in picture
    assert "length 3, world size 2: 1 of 2 cases broken" in picture
    [(_, [(_, clean)])] = heat([square(0, 2)])
    assert "1 of 1 square tried, nothing broken in them." in clean


@pytest.mark.parametrize(
    ("knobs", "rows", "captions"),
    [
        ({}, [""], [""]),
        ({"batch_size": (1, 2)}, [""], ["batch_size=1", "batch_size=2"]),
        ({"shuffle": (False, True)}, [""], ["shuffle=False", "shuffle=True"]),
        (
            {"shuffle": (False, True), "drop_last": (False, True)},
            ["shuffle=False", "shuffle=True"],
            ["drop_last=False", "drop_last=True"],
        ),
        (
            {"shuffle": (False, True), "drop_last": (True,), "batch_size": (1, 2, 3)},
            ["shuffle=False", "shuffle=True"],
            ["batch_size=1", "batch_size=2", "batch_size=3"],
        ),
    ],
)
def test_there_is_a_picture_for_each_setting_that_varies(knobs, rows, captions):
    settings: list[dict[str, Any]] = [{}]
    for name, values in knobs.items():
        settings = [{**one, name: value} for one in settings for value in values]
    shown = heat([square(1, 1, **one) for one in settings])
    assert [row.label for row in shown] == rows
    assert [caption for caption, _ in shown[0].pictures] == captions


def test_without_a_small_scope_there_is_no_map():
    assert heat([]) == []


def test_a_legend_shows_one_square_and_leaves_the_words_to_the_page():
    assert drawn(legend(SOME)) == {}
    assert 'aria-hidden="true"' in legend(SOME)
