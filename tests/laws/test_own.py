"""The user's own laws: registered under their codes, refused with a reason, forgotten."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import samplercheck as sc
from samplercheck.laws.law import Law, Scope, always
from samplercheck.laws.own import forget, law, own_laws
from samplercheck.laws.selection import all_laws
from samplercheck.values.errors import LawError
from tests.support.traces import a_trace, judged

if TYPE_CHECKING:
    from collections.abc import Iterator

    from samplercheck.values.trace import Trace

STATEMENT = "Rank 0 begins every epoch with sample 0."


@pytest.fixture(autouse=True)
def _no_laws_left_behind() -> Iterator[None]:
    """Every test begins and ends without laws of one's own."""
    yield
    for one in own_laws():
        forget(one.code)


def first_is_zero(trace: Trace) -> Iterator[sc.Violation]:
    for epoch in trace.epochs:
        if epoch.total and epoch.passes[0].items[0] != 0:
            yield sc.Violation(found="began elsewhere", rank=0, epoch=epoch.number)


def a_law(code: str = "MY001", name: str = "first-is-zero") -> Law:
    """Register the law above."""
    return law(code, name, STATEMENT)(first_is_zero)


def test_the_decorated_name_is_a_registered_law() -> None:
    made = a_law()
    assert isinstance(made, Law)
    assert own_laws() == (made,)
    assert (made.label, made.statement, made.reads) == ("MY001-first-is-zero", STATEMENT, ("epochs",))
    assert made.applies is always
    assert all_laws()[-1] is made


def test_the_public_decorator_is_this_one() -> None:
    assert sc.law is law


def test_a_law_of_ones_own_judges_traces() -> None:
    made = a_law()
    assert judged(made, a_trace([[0, 1]], length=2)) == []
    (found,) = judged(made, a_trace([[0, 1], [1, 0]], length=2))
    assert (found.epoch, found.found) == (1, "began elsewhere")


def test_all_parts_can_be_given_by_keyword() -> None:
    @law(
        code="MY002",
        name="small",
        statement="Small is all.",
        consequence="wrong order",
        reads=["epochs", "again"],
        applies=lambda scope: "rank" in scope.named,
        sees=lambda trace: trace.case.length > 1,
        advice=True,
        why="Because.",
        fix="So.",
        intended="Never.",
    )
    def judge(_: Trace) -> None:
        """Return nothing, which means that nothing is broken."""

    assert judge.reads == ("epochs", "again")
    assert judge.applies(Scope(contract=sc.Contract(), named=frozenset({"rank"})))
    assert not judge.sees(a_trace([[0]], length=1))
    assert list(judge.judge(a_trace([[0]], length=1))) == []
    assert (judge.consequence, judge.advice, judge.why) == ("wrong order", True, "Because.")
    assert (judge.fix, judge.intended) == ("So.", "Never.")


def test_the_former_name_of_fix_still_works_and_says_so() -> None:
    with pytest.warns(DeprecationWarning, match="write fix"):
        judge = law("MY002", "small", "Small is all.", mend="So.")(lambda _: None)
    assert judge.fix == judge.mend == "So."


@pytest.mark.parametrize("code", ["my001", "M001", "MY01", "MY00001", "MY-001", "", 7, None])
def test_a_code_that_is_no_code_is_refused(code: str) -> None:
    with pytest.raises(LawError, match=r"is not legal: use 2-8 capitals and 3-4 digits, like 'MY001'"):
        law(code, "name", STATEMENT)


def test_the_kit_s_codes_are_reserved() -> None:
    with pytest.raises(LawError, match="'SC104' is reserved"):
        law("SC104", "name", STATEMENT)
    with pytest.raises(LawError, match="'SCX104' is reserved"):
        law("SCX104", "name", STATEMENT)


@pytest.mark.parametrize("name", ["Name", "two words", "two_words", "-a", "a-", "", None])
def test_a_name_that_is_no_name_is_refused(name: str) -> None:
    with pytest.raises(LawError, match="use small letters and hyphens"):
        law("MY001", name, STATEMENT)


@pytest.mark.parametrize("statement", ["", ".", "No full stop", None])
def test_a_statement_that_is_no_sentence_is_refused(statement: str) -> None:
    with pytest.raises(LawError, match="no sentence that ends with a full stop"):
        law("MY001", "name", statement)


def test_an_unknown_experiment_is_refused_with_its_neighbour() -> None:
    with pytest.raises(LawError, match=r"reads 'epoch', which is no experiment\. Did you mean 'epochs'\?"):
        law("MY001", "name", STATEMENT, reads=("epoch",))
    with pytest.raises(LawError, match=r"write reads=\('epochs',\)"):
        law("MY001", "name", STATEMENT, reads="epochs")
    with pytest.raises(LawError, match="reads no experiment"):
        law("MY001", "name", STATEMENT, reads=())


def test_the_same_function_again_replaces_its_law() -> None:
    a_law()
    second = a_law(name="begins-at-zero")
    assert own_laws() == (second,)


def test_a_code_or_name_of_another_function_is_refused() -> None:
    a_law()

    def other(_: Trace) -> None:
        """Judge nothing."""

    with pytest.raises(LawError, match=r"'MY001' is taken by tests\.laws\.test_own:first_is_zero"):
        law("MY001", "other", STATEMENT)(other)
    with pytest.raises(LawError, match="name 'first-is-zero' is taken by MY001"):
        law("MY002", "first-is-zero", STATEMENT)(other)
    with pytest.raises(LawError, match="name 'equal-steps' is taken by SC104"):
        law("MY002", "equal-steps", STATEMENT)(other)
    assert [one.code for one in own_laws()] == ["MY001"]


def test_something_that_is_no_function_is_refused() -> None:
    with pytest.raises(LawError, match="decorates 3, which is no function"):
        law("MY001", "name", STATEMENT)(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("answer", [sc.Violation(found="x"), "broken", True, ["broken"]])
def test_a_judge_that_yields_no_violations_is_told_how(answer: object) -> None:
    made = law("MY001", "name", STATEMENT)(lambda _: answer)  # type: ignore[arg-type, return-value]
    with pytest.raises(LawError, match=r"Law MY001 .*: yield one samplercheck\.Violation"):
        list(made.judge(a_trace([[0]], length=1)))


def test_a_law_can_be_forgotten() -> None:
    a_law()
    forget("MY001")
    assert own_laws() == ()
    with pytest.raises(LawError, match="'MY001' is not registered"):
        forget("MY001")
