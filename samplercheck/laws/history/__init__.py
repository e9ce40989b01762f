"""The laws of histories: what a model was trained on, judged when a job is over.

``samplercheck audit`` and ``samplercheck drill`` judge them, ``run`` does not: they read a history, no
trace. In the order of codes.
"""

from __future__ import annotations

from samplercheck.laws.history import as_undisturbed, goes_on, ranks, reshuffles, trained_once
from samplercheck.laws.law import Law

HISTORY_LAWS: tuple[Law, ...] = (
    trained_once.LAW,
    goes_on.LAW,
    goes_on.WHOLE_EPOCHS,
    reshuffles.LAW,
    ranks.STEPS,
    ranks.SIZES,
    ranks.EPOCHS,
    as_undisturbed.LAW,
)
