"""Early epochs: whether a law is broken in the first epochs alone, as where a warm-up leaves samples out.

Asked while a run is explained, of laws that judge each epoch by itself.
"""

from __future__ import annotations

from dataclasses import replace

from samplercheck.engine._inquiry import Inquiry
from samplercheck.engine._judging import judge
from samplercheck.laws.law import always
from samplercheck.search.chosen import thin_out
from samplercheck.values.case import Case
from samplercheck.values.finding import Outcome
from samplercheck.values.trace import Trace

EPOCHS = ("epochs",)
LATER, FEW, EARLY = 40, 6, 8
"""So many epochs are looked at, of so many failing cases; luck shows then. So many are first ones at most."""


def count_first_epochs(inquiry: Inquiry) -> int:
    """Return behind how many first epochs a law is broken no more; 0 where it is, or is about several."""
    contract, law, shown = inquiry.search.binding.contract, inquiry.law, inquiry.example
    is_of_epochs = law.reads == EPOCHS and law.wants is always and contract.epochs == "set_epoch"
    if not shown.is_simulated or not is_of_epochs or contract.endless:
        return 0
    small = thin_out(inquiry.failing, FEW)
    cases = dict.fromkeys((shown.case, *(case for case in small if case.length)))
    last = 0
    for case in cases:
        number = 0 if case.epochs > LATER else _count_in(inquiry, case)
        last = max(last, number)
        if not 0 < number <= EARLY:
            return 0
    return last


def _count_in(inquiry: Inquiry, case: Case) -> int:
    """Return the number of epochs up to the last one that breaks a law by itself."""
    trace = inquiry.run(case.but(epochs=LATER, stop=None))
    if trace is None or not trace.is_whole:
        return 0
    verdicts = [judge(inquiry.law, _only(trace, epoch)) for epoch in range(LATER)]
    failing = [epoch for epoch, verdict in enumerate(verdicts) if verdict.outcome is Outcome.BROKEN]
    return failing[-1] + 1 if failing else 0


def _only(trace: Trace, epoch: int) -> Trace:
    records = [replace(record, passes=record.passes[epoch : epoch + 1]) for record in trace.of("epochs")]
    return Trace(
        trace.case.but(epochs=1), trace.contract, {"epochs": records}, kind=trace.kind, named=trace.named
    )
