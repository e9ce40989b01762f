"""A run that is timed: what experiments and laws took, and a report that is otherwise the same."""

from __future__ import annotations

from torch.utils.data import DistributedSampler

from samplercheck import Case
from samplercheck.engine._run import carry_out
from samplercheck.engine.plan import Plan
from samplercheck.values.report import Report

CASES = (Case(length=7, world_size=2, epochs=3),)


def _report(*, times: bool) -> Report:
    return carry_out(
        Plan(target=DistributedSampler, profile="quick", worlds=("simulated",), cases=CASES, times=times)
    )


def test_phases_experiments_and_laws_are_timed() -> None:
    report = _report(times=True)
    calls = {(one.kind, one.name): one.calls for one in report.timings}
    assert calls["phase", "given"] == 1
    assert calls["experiment", "epochs"] >= 2  # once a rank; the first look takes it too
    assert calls["law", "SC102"] == 1
    assert sum(one.seconds for one in report.timings) > 0
    assert Report.from_dict(report.to_dict(), _law_of(report)).timings == report.timings


def test_a_timed_run_gives_the_report_of_one_that_is_not() -> None:
    timed, plain = (_report(times=times).to_dict() for times in (True, False))
    for data in (timed, plain):
        data.pop("seconds")
    assert timed.pop("timings")
    assert plain.pop("timings") == []
    assert timed == plain


def _law_of(report: Report):  # type: ignore[no-untyped-def]  # only passed on
    laws = {one.code: one.law for one in report.results}
    return lambda data: laws[data["code"]]
