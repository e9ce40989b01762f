"""The command of a failure block, read by the command line, is the case and contract that it was made of."""

from __future__ import annotations

import shlex
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samplercheck import Case, Contract
from samplercheck.cli.values import axes_from, contract_from
from samplercheck.reports.ways import (
    _one_word,
    axis_value,
    changes_of,
    replay_command,
    show_command,
)
from samplercheck.values.finding import Violation
from tests.support.handmade import a_case

TARGET = "mypkg.samplers:CyclicSampler"
SEEN = Violation(found="something")
floats = st.floats(allow_nan=False, allow_infinity=False)
scalars = st.booleans() | st.integers() | floats | st.text(max_size=12) | st.none()


def words(lines: list[str]) -> list[str]:
    """The words that a shell makes of the lines."""
    return shlex.split("\n".join(lines).replace("\\\n", " "))


def test_a_small_case_is_told_by_options() -> None:
    case = Case(length=3, world_size=2, batch_size=4, shuffle=True, drop_last=True, seed=5, epochs=1)
    assert words(show_command(TARGET, case, SEEN, {}, column=0)) == [
        *["samplercheck", "show", TARGET, "-n", "3", "-w", "2", "-b", "4"],
        *["--shuffle", "--drop-last", "--seed", "5", "--epochs", "1"],
    ]


def test_a_case_with_features_is_told_by_its_token() -> None:
    case = a_case(length=2, features={"lengths": [5, 1]})
    said = words(show_command(TARGET, case, SEEN, {}, column=0))
    assert said[3] == "--case"
    assert Case.parse(said[4]) == case


def test_contract_and_experiment_are_said_where_they_are_not_the_default() -> None:
    contract = Contract(tail="keep", elastic=True, repeats=1)
    again = Violation(found="something", experiment="again")
    said = words(show_command(TARGET, Case(length=1), again, changes_of(contract), column=0))
    given_words = [said[place + 1] for place, word in enumerate(said) if word == "--contract"]
    assert contract_from(given_words) == {"tail": "keep", "elastic": True}
    assert said[-2:] == ["--experiment", "again"]


@pytest.mark.parametrize(
    "name", ["bucket", "__main__:build", "mod:f.<locals>.g", "?:f", "m:" + "x" * 90, "-x:y"]
)
def test_a_target_that_a_command_line_cannot_name_has_no_command(name: str) -> None:
    assert show_command(name, Case(length=1), SEEN, {}, column=11) == []


@given(
    options=st.dictionaries(
        st.from_regex(r"[a-z]{1,5}", fullmatch=True),
        scalars,
        max_size=3,
    )
)
def test_options_survive_the_shell_and_the_axis_parser(options: dict[str, Any]) -> None:
    said = words(show_command(TARGET, a_case(length=1, options=options), SEEN, {}, column=0))
    given_axes = axes_from([said[place + 1] for place, word in enumerate(said) if word == "--axis"])
    if said:
        read = {name: values[0] for name, values in given_axes.items()}
        assert [(name, type(value), value) for name, value in sorted(read.items())] == [
            (name, type(value), value) for name, value in sorted(options.items())
        ]


@given(scalars)
def test_an_axis_value_is_read_back_with_its_type(value: Any) -> None:
    read = axes_from([f"bucket={axis_value(value)}"])["bucket"]
    assert [(type(one), one) for one in read] == [(type(value), value)]


@given(st.integers(0, 10**18), st.integers(1, 10**6), st.integers(0, 2**63 - 1))
def test_no_line_is_wider_than_the_block(length: int, ranks: int, seed: int) -> None:
    options = {"bucket": 3, "alpha": 0.5}
    case = a_case(length=length, world_size=ranks, seed=seed, shuffle=True, options=options)
    lines = show_command(TARGET, case, SEEN, changes_of(Contract.torch()), column=11)
    assert lines
    assert all(len(line) <= 78 - 11 for line in lines)


def test_a_failure_of_a_real_group_is_judged_again_there() -> None:
    said = words(replay_command("SC901?n=3,world=2", TARGET, {"tail": "keep"}, "gloo", column=11))
    assert said == [
        *["samplercheck", "replay", "SC901?n=3,world=2", "--target", TARGET],
        *["--world", "gloo", "--contract", "tail=keep"],
    ]
    assert replay_command("SC901?n=3", "__main__:build", {}, "gloo", column=11) == []


@pytest.mark.thorough
@given(
    length=st.integers(0, 10**9),
    options=st.dictionaries(st.from_regex(r"[a-z]{1,5}", fullmatch=True), scalars, max_size=2),
    contract=st.fixed_dictionaries(
        {},
        optional={
            "tail": st.just("keep"),
            "elastic": st.booleans(),
            "reference": st.none(),
            "batch_rule": st.sampled_from([None, "budget(lengths,bucket,padded)", "homogeneous(labels)"]),
        },
    ),
)
def test_a_token_and_a_contract_survive_the_shell(
    length: int, options: dict[str, Any], contract: dict[str, Any]
) -> None:
    case = a_case(length=length, world_size=2, shuffle=True, options=options)
    said = words(replay_command(f"SC104?{case.token}", TARGET, contract, column=0))
    if said:
        assert said[:2] + said[3:5] == ["samplercheck", "replay", "--target", TARGET]
        assert Case.parse(said[2].removeprefix("SC104?")) == case
        assert contract_from(said[6::2]) == contract


def test_a_plain_token_stands_in_quotes_that_every_shell_knows() -> None:
    (line,) = replay_command("SC104?n=3,world=2,batch=1", "pkg:x", {}, column=0)
    assert line == 'samplercheck replay "SC104?n=3,world=2,batch=1" --target pkg:x'


@pytest.mark.parametrize("word", ["gr\N{LATIN SMALL LETTER O WITH DIAERESIS}sse.py", "a\nb.py", "x" * 90])
def test_a_file_that_no_line_can_tell_has_no_command(word: str) -> None:
    assert _one_word("python", word, column=22) == []
    assert replay_command(word, TARGET, {}, column=22) == []
