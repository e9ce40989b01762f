"""Which history a case is stored with; no script is written of one that fails behind others alone."""

from __future__ import annotations

import json

import pytest

from samplercheck.engine import Plan, carry_out
from samplercheck.engine._history_search import AT_FIRST, NOT_KEPT, Rerun
from samplercheck.storage.case_file import MOST_BEFORE
from samplercheck.storage.store import Store
from samplercheck.values.wording import HISTORY

SMALLEST = 6


def loses_its_last(length, rank, world_size, shuffle, drop_last):
    share = list(range(rank, length, world_size))
    return share[:-1] if length >= SMALLEST else share


def answer(*, fails, fails_bare=lambda case, before: True):
    """Answers of copies of a process by what ran before in them, with a first look and without."""

    def ask(question):
        if getattr(question, "restored", None) is None and isinstance(question, Rerun):
            return "broken" if fails(question.before) else "holds", ()
        if hasattr(question, "before") and not isinstance(question, Rerun):
            return "broken" if fails_bare(question.case, question.before) else "holds", ()
        return None

    return ask


@pytest.fixture
def run(tmp_path):
    def go(ask):
        store = Store(tmp_path)
        plan = Plan(
            target=loses_its_last, profile="quick", worlds=["simulated"], select=["SC102"], store=store
        )
        failure = carry_out(plan, ask=ask).failures[0].failure
        (file,) = store.failures.glob("*.json")
        (breach,) = json.loads(file.read_text())["broken"]
        return failure, breach.get("before", []), [*store.failures.glob("*.py")]

    return go


@pytest.mark.thorough
@pytest.mark.parametrize("number", [1, 28, MOST_BEFORE])
def test_what_has_to_run_before_is_stored_and_no_script_claims_to_show_it(run, number):
    failure, before, scripts = run(answer(fails=lambda before: len(before) >= number))
    assert failure.cause == f"{HISTORY}."
    assert len(before) == number
    assert scripts == []
    assert "on another machine" not in failure.text


@pytest.mark.thorough
def test_what_is_too_much_to_be_stored_is_said_not_to_be(run):
    failure, before, scripts = run(answer(fails=lambda before: len(before) > MOST_BEFORE))
    assert failure.evidence.endswith(NOT_KEPT)
    assert f"after {MOST_BEFORE + 1} other cases it fails" in failure.evidence
    assert (before, scripts) == ([], [])


@pytest.mark.thorough
@pytest.mark.parametrize(("names", "said"), [("length", "length"), ("seed", "seed")])
def test_what_fails_behind_the_first_look_is_stored_with_a_case_that_does_the_same(run, names, said):
    def fails_bare(case, before):
        return any(getattr(one, names) not in (getattr(case, names), 2 * case.length + 7) for one in before)

    failure, before, scripts = run(answer(fails=lambda before: True, fails_bare=fails_bare))
    assert f"after one of another {said} it fails" in failure.evidence
    assert len(before) == 1
    assert scripts == []


@pytest.mark.thorough
def test_where_no_other_case_does_it_the_first_look_is_named(run):
    ask = answer(fails=lambda before: True, fails_bare=lambda case, before: False)
    failure, before, scripts = run(ask)
    assert (failure.cause, failure.evidence) == (f"{HISTORY}.", AT_FIRST)
    assert (before, scripts) == ([], [])


@pytest.mark.thorough
def test_what_fails_by_itself_has_its_script(run):
    failure, before, scripts = run(answer(fails=lambda before: True))
    assert HISTORY not in failure.cause
    assert before == []
    assert len(scripts) == 1
