"""The search gives up as little as it must: by a judge made of plain rules, in no time."""

from __future__ import annotations

from dataclasses import fields

import pytest

from samplercheck import Case, Contract
from samplercheck.engine.contracts._changes import STRICTER, WEAKER, is_a_design
from samplercheck.engine.contracts._inference import InferenceVerdict
from samplercheck.engine.contracts._search import search
from samplercheck.values.errors import ContractError
from samplercheck.values.finding import Failure, Violation

CASE = Case(length=1, world_size=2)


class Rules:
    """Judges by what a contract must say: a rule is a field, the values it may have, and a law."""

    def __init__(self, *rules, held=(), brief=()):
        self.rules, self.held, self.brief = rules, frozenset(held), brief
        self.asked = 0

    def briefly(self, contract):
        return self.judged(contract, [rule for rule in self.rules if rule not in self.brief])

    def thoroughly(self, contract):
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


def found_by(judge, given=None, named=()):
    return search(judge, given or Contract(), frozenset(named))


def test_what_holds_is_left_as_it_is():
    assert found_by(Rules(("layout", ("any",), "SC302"))).contract == Contract()


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [
        ("tail", "keep", "SC104"),
        ("repeats", 3, "SC103"),
        ("epochs", "advance", "SC301"),
        ("endless", True, "SC002"),
    ],
)
def test_one_promise_is_given_for_another(field, value, code):
    found = found_by(Rules((field, (value,), code), ("layout", ("any",), "SC302")))
    assert found.contract == Contract(**{field: value})
    assert found.given_up == {field}
    assert found.refuted[field].code == code


def test_several_promises_are_given_up_where_one_is_not_enough():
    rules = ("tail", ("keep",), "SC104"), ("order", ("shuffled",), "SC302"), ("layout", ("any",), "SC305")
    assert found_by(Rules(*rules)).contract == Contract(tail="keep", order="shuffled")


def test_a_change_that_came_along_is_taken_back():
    rules = ("sharding", ("none",), "SC103"), ("ambient_rng", ("shared",), "SC403")
    assert found_by(Rules(*rules)).contract == Contract(sharding="none", ambient_rng="shared")


def test_what_few_cases_have_missed_is_found_by_the_profile():
    rule = ("tail", ("keep",), "SC104")
    found = found_by(Rules(rule, ("layout", ("any",), "SC302"), brief=[rule]))
    assert found.verdict.failures == {} or found.contract == Contract()


def test_no_contract_is_made_of_what_nobody_would_choose():
    found = found_by(Rules(("coverage", ("subset",), "SC102")))
    assert found.verdict.failures.keys() == {"SC102"}


def test_what_is_stricter_needs_a_law_that_has_seen_it():
    free = Rules(held=())
    assert found_by(free).contract.reference is None
    like_torch = Rules(("layout", ("any", "strided"), "SC302"), held=["SC307"])
    assert found_by(like_torch).contract == Contract.torch()


def test_a_layout_that_cannot_be_told_from_the_other_is_not_promised():
    assert found_by(Rules()).contract.layout == "any"


def test_what_is_given_is_never_changed():
    found = found_by(Rules(("tail", ("keep",), "SC104")), Contract(tail="drop"))
    assert found.contract.tail == "drop"
    assert found.verdict.failures.keys() == {"SC104"}


def test_the_changes_name_fields_and_never_write_off_the_commonest_bugs():
    names = {one.name for one in fields(Contract)}
    for change in (*WEAKER, *STRICTER):
        assert change.fields.keys() <= names
        try:
            Contract(**change.fields)
        except ContractError as error:
            pytest.fail(str(error))
        assert is_a_design(Contract(**change.fields))


@pytest.mark.parametrize(
    "fields",
    [{"coverage": "subset"}, {"resume": "none"}, {"epochs": "fixed"}, {"ambient_rng": "shared"}],
)
def test_what_a_bug_would_write_is_no_design(fields):
    assert not is_a_design(Contract(**fields))


def test_who_only_doubles_does_not_draw_with_replacement():
    found = found_by(Rules(("coverage", ("sampled",), "SC103")))
    assert found.verdict.failures.keys() == {"SC103"}
    rules = ("coverage", ("sampled",), "SC103"), ("coverage", ("sampled",), "SC102")
    assert found_by(Rules(*rules, held=["SC1001"])).contract.coverage == "sampled"
    assert found_by(Rules(*rules, held=["SC1001"]), named=["rank"]).contract.coverage == "once"
    assert found_by(Rules(*rules)).contract.coverage == "once"  # nothing has judged the weights


def test_who_is_told_a_place_and_shares_nothing_has_a_bug():
    rule = "sharding", ("none",), "SC103"
    assert found_by(Rules(rule)).contract.sharding == "none"
    found = found_by(Rules(rule), named=["rank", "world_size"])
    assert (found.contract, found.verdict.failures.keys()) == (Contract(), {"SC103"})


def test_of_endless_walks_turns_alone_are_seen_by_a_law():
    endless = "endless", (True,), "SC002"
    assert found_by(Rules(endless, held=["SC103"])).contract == Contract(endless=True, layout="strided")
    assert found_by(Rules(endless)).contract == Contract(endless=True)
    apart = "layout", ("any", "contiguous"), "SC103"
    found = found_by(Rules(endless, apart, held=["SC103"]))
    assert found.contract == Contract(endless=True)
    assert [one.promise for one in found.stricter] == ["layout='strided'"]


def test_a_stricter_promise_that_nobody_would_choose_is_refuted_all_the_same():
    rules = ("sharding", ("none",), "SC103"), ("ambient_rng", ("shared",), "SC403")
    told = {name: one.code for name, one in found_by(Rules(*rules)).refuted.items()}
    assert told == {"sharding": "SC103", "ambient_rng": "SC403"}


def test_variable_batches_are_for_what_yields_batches():
    assert found_by(Rules(("batches", ("variable",), "SC601"))).verdict.failures.keys() == {"SC601"}


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
