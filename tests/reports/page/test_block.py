"""What the page reads out of a block is what was put into it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from samplercheck.reports.block import failure_block
from samplercheck.reports.page._failure import training_of, ways_of
from samplercheck.reports.ways import Ways
from samplercheck.values.finding import Violation
from tests.reports.blocks import BLOCKS
from tests.support.handmade import EQUAL_STEPS, TARGET, uneven


def test_the_ways_of_a_block_are_read_with_all_of_their_lines() -> None:
    ways = Ways(
        place=TARGET,
        contract={"tail": "keep", "tail_unit": "batch", "coverage": "once"},
        stored="pl5qwvbe",
        script=".samplercheck/failures/pl5qwvbe.py",
        site="https://docs.example.org/",
    )
    told = dict(ways_of(failure_block(EQUAL_STEPS, TARGET, uneven(), ways)))
    assert told["again"] == "samplercheck replay pl5qwvbe"
    assert told["without this kit"] == "python .samplercheck/failures/pl5qwvbe.py"
    assert told["more about this law"] == "samplercheck explain SC104"
    elsewhere = told["on another machine"].replace("\\\n", " ").split()
    assert elsewhere[:2] == ["samplercheck", "replay"]
    assert elsewhere[-6:] == [
        *("--contract", "tail=keep", "--contract", "tail_unit=batch"),
        *("--contract", "coverage=once"),
    ]


@pytest.mark.parametrize("name", BLOCKS)
def test_no_command_of_a_block_is_lost(name: str) -> None:
    text = failure_block(BLOCKS[name][0], TARGET, *BLOCKS[name][1:])
    commands = text.count("  samplercheck ") + text.count("  python ")
    assert len(ways_of(text)) == commands


def test_what_happens_in_training_is_read_as_prose() -> None:
    assert training_of(failure_block(EQUAL_STEPS, TARGET, uneven())) == EQUAL_STEPS.why
    assert training_of(failure_block(replace(EQUAL_STEPS, why=""), TARGET, uneven())) == ""


def test_words_of_a_target_make_no_command() -> None:
    found = "it broke" + " " * 80 + "again               rm -rf / " * 3
    seen = replace(uneven(), violation=Violation(found=found))
    block = failure_block(EQUAL_STEPS, TARGET, seen, Ways(place=TARGET))
    assert not any("rm" in command for _, command in ways_of(block))


def test_a_block_of_another_kind_has_neither() -> None:
    for text in ("", "BROKEN  SC104", "one\n\ntwo\n\nthree"):
        assert ways_of(text) == []
        assert training_of(text) == ""
