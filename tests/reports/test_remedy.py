"""What to do about a failure: contracts as flags, and none that loses samples unless it was tried."""

from __future__ import annotations

from typing import Any

import pytest

from samplercheck.reports.remedy import advise, borrow_fix, name_contract, name_remedy

KEEP = 'Where the order is padded. If ranks are meant to differ by one unit, declare tail="keep".'
EITHER = "Deal out in turn, or declare layout='contiguous' or order=\"free\"."
ELSE = 'If samples that came before make ranks equal, declare tail="pad". Else: where the order is made.'
CLAUSE = 'Pad no further; where whole batches are meant, to one of them, and declare tail_unit="batch".'
COLON = 'As many are missing as fill no global batch: declare tail_unit="batch" if that is meant.'


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (KEEP, "Where the order is padded."),
        (ELSE, "Where the order is made."),
        (CLAUSE, "Pad no further."),
        (COLON, "As many are missing as fill no global batch."),
        ('If drawing is meant, declare coverage="sampled".', ""),
        ("", ""),
    ],
)
def test_a_contract_that_allows_losses_is_not_advised_before_it_was_tried(text: str, says: str) -> None:
    assert advise(text, {}) == says
    assert advise(text, {"proposal": {"words": "order=shuffled"}}) == says


def test_a_contract_that_was_tried_is_advised_by_its_flag() -> None:
    tried = {"proposal": {"words": "tail=keep,tail_unit=batch"}}
    assert advise(KEEP, tried).endswith("one unit, run with --contract tail=keep.")
    assert advise(CLAUSE, tried).endswith("and run with --contract tail_unit=batch.")
    assert advise(KEEP, {"proposal": {"words": "tail=drop"}}) == "Where the order is padded."


def test_what_loses_nothing_is_advised_by_its_flag() -> None:
    said = "Deal out in turn, or run with --contract layout=contiguous or --contract order=free."
    assert advise(EITHER, {"proposal": None}) == said
    drawn = 'If it never stops, declare endless=True; if it draws, coverage="sampled".'
    assert advise(drawn, {}) == "If it never stops, run with --contract endless=true."
    function = "Where that is known, declare frequencies=a function of (length, features)."
    assert advise(function, {}) == function  # no command line takes it
    assert advise("Else declare even_steps=False.", {}) == "Else run with --contract even_steps=false."


def test_the_contract_of_a_run_is_named_as_the_command_line_takes_it() -> None:
    told = name_contract("Contract(sharding='none', order='free', top_up=True)")
    assert told == "--contract sharding=none,order=free,top_up=true"
    for said in ("Contract(batch_rule=<function one>)", "Contract(coverage='sampled', frequencies='own:by')"):
        assert name_contract(said) == said


def failing(code: str, **told: object) -> dict[str, Any]:
    """A result with a failure, of which so much is told."""
    usual = {"cause": "", "hint": "look at the order", "usual": "", "mend": "", "also": (), "follows": ""}
    return {"code": code, "failure": {**usual, "failing": 9, **told}}


SEEDED: dict[str, Any] = {"cause": "It draws.", "hint": "Seed a generator.", "mend": "Seed a generator."}


def test_what_follows_and_shares_its_cause_with_others_says_what_usually_helps() -> None:
    lead, other = failing("SC102"), failing("SC402", also=("SC103",), **SEEDED)
    after = failing("SC103", follows="SC102", also=("SC402",), **SEEDED)
    assert name_remedy(borrow_fix(lead, [after, other]), {}) == ("usual fix", "Seed a generator.")


def test_no_fix_is_borrowed_from_what_fails_in_few_of_the_cases() -> None:
    few = {**SEEDED, "failing": 2}
    lead, other = failing("SC102"), failing("SC106", also=("SC1002",), **few)
    after = failing("SC1002", follows="SC102", also=("SC106",), **few)
    assert name_remedy(borrow_fix(lead, [after, other]), {}) == ("look at", "The order.")


def test_a_cause_that_breaks_another_law_often_says_what_usually_helps() -> None:
    lead, other = failing("SC102"), failing("SC402", also=("SC103",), **{**SEEDED, "failing": 5})
    after = failing("SC103", follows="SC102", also=("SC402",), **{**SEEDED, "failing": 2})
    assert name_remedy(borrow_fix(lead, [after, other]), {}) == ("usual fix", "Seed a generator.")


def test_no_fix_is_borrowed_from_a_cause_of_one_law_alone_or_for_a_law_with_its_own() -> None:
    alone = failing("SC105", follows="SC102", also=(), **SEEDED)
    assert name_remedy(borrow_fix(failing("SC102"), [alone]), {}) == ("look at", "The order.")
    own = failing("SC102", hint="Pad it.", mend="Pad it.")
    after = failing("SC103", follows="SC102", also=("SC402",), **SEEDED)
    assert borrow_fix(own, [after, failing("SC402")]) is own["failure"]
