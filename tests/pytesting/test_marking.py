"""What a test module says of its targets: suites and known failures are checked where they are written."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from samplercheck import Case, Contract, known
from samplercheck.laws import ALL_LAWS
from samplercheck.pytesting.marking import parametrize_with_laws
from samplercheck.values.errors import CaseError, LawError, UsageError


def sampler(length, rank, world_size):
    return range(rank, length, world_size)


def suite_of(*targets, **said):
    return parametrize_with_laws(*targets, **said).args[0]


def test_a_suite_lists_all_laws_in_order_those_skipped_too():
    suite = suite_of("pkg:x", skip={"SC104": "issue 12"})
    assert [law.code for law in suite.laws] == [law.code for law in ALL_LAWS]
    assert suite.skipped == {"SC104": "issue 12"}


def test_text_stays_text_and_callables_become_targets_at_once():
    suite = suite_of("pkg:x", sampler, contract=Contract(tail="keep"))
    assert suite.plans[0].target == "pkg:x"
    assert suite.plans[1].target.factory is sampler
    assert suite.plans[1].target.contract.tail == "keep"


def test_a_known_failure_is_an_id_or_a_token_with_a_reason():
    assert known("q7m2xw4k", reason=" issue 1 ").is_id
    entry = known("world=2,n=3", reason="issue 1", until="2027-01-31")
    assert (entry.case, entry.is_id) == ("n=3,world=2,batch=1", False)
    assert entry.text == "known failure n=3,world=2,batch=1: issue 1 (until 2027-01-31)"
    day = date(2027, 1, 31)
    assert known("n=3", reason="r", until=day).until == day
    assert day + timedelta(days=1) > entry.until


def test_the_id_of_a_case_is_told_from_a_token():
    assert known(Case(length=3).id, reason="r").is_id


@pytest.mark.parametrize(
    ("case", "more", "error", "said"),
    [
        ("q7m2", {"reason": "r"}, CaseError, "'q7m2'\\) names no case: .* eight letters"),
        ("n=3,wrold=2", {"reason": "r"}, CaseError, "Did you mean 'world'"),
        ("n=3", {"reason": " "}, UsageError, "needs a reason"),
        ("n=3", {"reason": None}, UsageError, "needs a reason"),
        ("n=3", {"reason": "r", "until": "31.1.2027"}, UsageError, "write it as '2027-01-31'"),
        ("n=3", {"reason": "r", "until": 2027}, UsageError, "is no date"),
    ],
)
def test_a_known_failure_that_says_nothing_is_refused(case, more, error, said):
    with pytest.raises(error, match=said):
        known(case, **more)


ENTRY = known("n=3", reason="r")


@pytest.mark.parametrize(
    ("targets", "settings", "error", "said"),
    [
        ([], {}, UsageError, "No target is given"),
        (["a:a"], {"known_failures": {"SC14": ENTRY}}, LawError, "Law 'SC14' does not exist"),
        (["a:a"], {"known_failures": {"SC104": []}}, UsageError, "write samplercheck.known"),
        (["a:a"], {"select": ["SC1"], "known_failures": {"SC201": ENTRY}}, UsageError, "is not run here"),
        (["a:a"], {"skip": ["SC104=r"], "known_failures": {"SC104": ENTRY}}, UsageError, "is not run here"),
        (["a:a", "b:b"], {"known_failures": {"SC104": ENTRY}}, UsageError, "belong to one target and 2"),
        (["a:a"], {"profile": "quik"}, UsageError, "Did you mean 'quick'"),
        (["a:a"], {"worlds": ["simulated", "glo"]}, UsageError, "Did you mean 'gloo'"),
        ([sampler], {"axes": {"bucket": []}}, UsageError, "needs a list of values"),
    ],
)
def test_a_suite_that_means_nothing_is_refused(targets, settings, error, said):
    with pytest.raises(error, match=said):
        suite_of(*targets, **settings)


def test_one_law_may_have_several_known_failures_under_all_its_names():
    suite = suite_of("a:a", known_failures={"SC104": ENTRY, "equal-steps": [ENTRY, ENTRY]})
    assert suite.known == {"SC104": (ENTRY, ENTRY, ENTRY)}
