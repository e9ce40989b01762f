"""What a target seems to keep is made stricter as far as it holds: by a judge of plain rules, in no time."""

from __future__ import annotations

from dataclasses import fields

import pytest

from samplercheck import Case, Contract
from samplercheck.engine.contracts._changes import STRICTER, is_a_design
from samplercheck.engine.contracts._inference import InferenceVerdict
from samplercheck.engine.contracts._search import search
from samplercheck.values.errors import ContractError
from samplercheck.values.finding import Failure, Violation
from samplercheck.values.report import Proposal

CASE = Case(length=1, world_size=2)


class Rules:
    """Judges by what a contract must say: a rule is a field, the values it may have, and a law."""

    def __init__(self, *rules, held=(), brief=()):
        self.rules, self.held, self.brief = rules, frozenset(held), brief
        self.asked = 0

    def briefly(self, contract):
        return self.judged(contract, [rule for rule in self.rules if rule not in self.brief])

    def refute(self, contract, *, patiently=False):
        assert patiently in (False, True)
        return self.briefly(contract)

    def widely(self, contract):
        return self.judged(contract, self.rules)

    def judged(self, contract, rules):
        self.asked += 1
        broken = [code for field, allowed, code in rules if getattr(contract, field) not in allowed]
        failures = {code: Failure(case=CASE, violation=Violation(found="seen")) for code in broken}
        return InferenceVerdict(
            contract=contract,
            kind="samples",
            failures=failures,
            anyway={},
            names=dict.fromkeys(broken, "law"),
            held=self.held,
            undecided={},
        )


ANY_LAYOUT = "layout", ("any",), "SC302"


def seems(*settled, left=(), doubted=(), hides=(), **contract):
    return Proposal(
        contract=contract, signs=("do so",), settled=settled, left=left, doubted=doubted, hides=hides
    )


def found_by(judge, given=None, named=(), seen=None):
    return search(judge, given or Contract(), frozenset(named), seen)


def test_what_holds_is_left_as_it_is():
    assert found_by(Rules(ANY_LAYOUT)).contract == Contract()


def test_one_promise_is_given_for_another_where_the_target_seems_to_keep_that():
    found = found_by(Rules(("tail", ("keep",), "SC104"), ANY_LAYOUT), seen=seems("SC104", tail="keep"))
    assert found.contract == Contract(tail="keep")
    assert found.given_up == {"tail"}
    assert (found.refuted["tail"].promise, found.refuted["tail"].code) == ("tail='auto'", "SC104")


def test_what_gives_no_sign_keeps_no_other_contract_however_well_one_would_fit():
    found = found_by(Rules(("tail", ("keep",), "SC104"), ANY_LAYOUT))
    assert (found.contract, found.verdict.failures.keys()) == (Contract(), {"SC104"})
    assert (found.refuted, found.stricter) == ({}, ())


def test_what_stays_broken_is_told_of_the_contract_that_it_seems_to_keep():
    rules = ("tail", ("keep",), "SC104"), ("order", ("shuffled",), "SC301"), ANY_LAYOUT
    found = found_by(Rules(*rules), seen=seems("SC104", left=("SC301",), tail="keep"))
    assert (found.contract, found.verdict.failures.keys()) == (Contract(tail="keep"), {"SC301"})


def test_what_few_cases_have_missed_is_found_by_many():
    rule = ("tail", ("keep",), "SC104")
    assert found_by(Rules(rule, ANY_LAYOUT, brief=[rule])).verdict.failures.keys() == {"SC104"}


def test_a_stricter_promise_that_many_cases_refute_is_none():
    late = "reference", (None,), "SC307"
    strided = "layout", ("any", "strided"), "SC302"
    found = found_by(Rules(strided, late, brief=[late], held=["SC307"]))
    assert found.contract == Contract()
    assert [(one.promise, one.code) for one in found.stricter] == [
        ("layout='strided', reference='torch'", "SC307"),
    ]


def test_what_is_stricter_needs_a_law_that_has_seen_it():
    assert found_by(Rules()).contract.reference is None
    like_torch = Rules(("layout", ("any", "strided"), "SC302"), held=["SC307"])
    assert found_by(like_torch).contract == Contract.torch()


def test_what_cannot_be_resumed_is_not_asked_to_be_elastic():
    held = Rules(ANY_LAYOUT, held=["SC705"])
    assert not found_by(held).contract.elastic
    assert found_by(Rules(ANY_LAYOUT, held=["SC701", "SC705"])).contract.elastic


def test_a_layout_that_cannot_be_told_from_the_other_is_not_promised():
    assert found_by(Rules()).contract.layout == "any"


def test_what_is_given_is_never_changed():
    found = found_by(Rules(("tail", ("keep",), "SC104")), Contract(tail="drop"))
    assert found.contract.tail == "drop"
    assert found.verdict.failures.keys() == {"SC104"}


def test_the_stricter_promises_name_fields_and_contradict_nothing():
    names = {one.name for one in fields(Contract)}
    for change in STRICTER:
        assert change.fields.keys() <= names
        try:
            Contract(**change.fields)
        except ContractError as error:
            pytest.fail(str(error))


def test_one_part_of_the_dataset_in_all_epochs_is_what_a_bug_leaves_and_is_not_excused():
    lost = "coverage", ("subset",), "SC102"
    part = seems("SC102", doubted=("SC102",), coverage="subset")
    found = found_by(Rules(lost, ANY_LAYOUT), seen=part)
    assert found.contract == Contract(coverage="subset")
    assert [one.code for one in found.excused] == ["SC102"]
    others = seems("SC102", doubted=("SC102",), coverage="subset", frequencies="eventually")
    assert found_by(Rules(lost, ANY_LAYOUT), seen=others).excused == ()


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ({}, False),
        ({"frequencies": "eventually"}, True),
        ({"repeats": 3}, True),
        ({"tail": "drop", "tail_unit": "batch"}, True),
    ],
)
def test_a_part_is_a_design_where_another_comes_each_time(part, expected):
    assert is_a_design(Contract(coverage="subset", **part), frozenset()) is expected


@pytest.mark.parametrize(
    ("named", "more", "expected"),
    [
        ({"length", "rank"}, {}, False),
        ({"length"}, {}, True),
        ({"weights", "rank"}, {}, True),
        ({"labels", "rank"}, {}, True),
        ({"length", "rank"}, {"frequencies": "at_least_once"}, True),
    ],
)
def test_draws_are_a_design_where_something_says_how_often_samples_come_or_no_ranks_share_them(
    named, more, expected
):
    assert is_a_design(Contract(coverage="sampled", **more), frozenset(named)) is expected


def test_what_a_contract_hides_is_not_excused_either():
    rules = ("coverage", ("sampled",), "SC102"), ANY_LAYOUT
    seen = seems("SC103", left=("SC102",), hides=("SC102",), coverage="sampled")
    assert [one.code for one in found_by(Rules(*rules), seen=seen).excused] == ["SC102"]


def test_of_endless_walks_turns_alone_are_seen_by_a_law():
    endless, forever = ("endless", (True,), "SC002"), seems("SC002", endless=True)
    found = found_by(Rules(endless, held=["SC103"]), seen=forever)
    assert found.contract == Contract(endless=True, layout="strided")
    assert found_by(Rules(endless), seen=forever).contract == Contract(endless=True)
    apart = "layout", ("any", "contiguous"), "SC103"
    found = found_by(Rules(endless, apart, held=["SC103"]), seen=forever)
    assert found.contract == Contract(endless=True)
    assert [one.promise for one in found.stricter] == ["layout='strided'"]


def test_each_promise_that_was_given_up_is_refuted_by_itself():
    rules = ("sharding", ("none",), "SC103"), ("ambient_rng", ("shared",), "SC403")
    seen = seems("SC103", "SC403", sharding="none", ambient_rng="shared")
    found = found_by(Rules(*rules), seen=seen)
    told = {name: one.code for name, one in found.refuted.items()}
    assert told == {"sharding": "SC103", "ambient_rng": "SC403"}


def test_what_refutes_a_promise_is_said_of_the_case_that_is_named():
    shown = Violation(found="seen in a larger case")
    failure = Failure(
        case=CASE, violation=Violation(found="seen"), realistic_case=CASE.but(length=9), shown=shown
    )
    told = InferenceVerdict(
        contract=Contract(),
        kind="samples",
        failures={"SC104": failure},
        anyway={},
        names={"SC104": "equal-steps"},
        held=frozenset(),
        undecided={},
    ).refutes("tail='pad'")
    assert (told.token, told.found) == (CASE.token, "seen")
