"""Text pictures, drawn from what a scene holds of a trace; which of them shows a violation best.

Called by the engine for the smallest case that breaks a law. Pure.
"""

from __future__ import annotations

from samplercheck.explain.pictures.lists import list_answers, list_inner, list_workers, share_table, strips
from samplercheck.explain.pictures.resumption import resumption
from samplercheck.explain.pictures.table import grid
from samplercheck.explain.scenes import scene_of
from samplercheck.laws.law import Law
from samplercheck.values.finding import Violation
from samplercheck.values.trace import Trace


def draw_picture(trace: Trace, violation: Violation, law: Law) -> tuple[str, ...]:
    """Return the drawing that shows a violation best: answers, shares, orders, a stop, an epoch.

    What is yielded does not show that a generator was moved.
    """
    if violation.evidence.kind == "moved":
        return ()
    if violation.experiment == "draws" and (scene := scene_of(trace, violation, law)) is not None:
        return share_table(scene)
    inner = list_inner(trace, violation)
    if inner is not None:
        return inner
    return (
        list_answers(trace, violation)
        or list_workers(trace, violation)
        or strips(trace, violation, law)
        or resumption(trace, violation)
        or grid(trace, violation)
    )
