"""What to look at where a resumed run goes on wrongly, by what came; and its errors in words.

Called by resumed runs (``_resumes``). Imports the passes of values alone.
"""

from __future__ import annotations

import re

from samplercheck.values.record import Pass

AGAIN = (
    "Whether state_dict() holds all that decides what comes next, the epoch and the place in it, and "
    "load_state_dict() restores it."
)
FROM_THE_START = (
    "Where the place is lost, as it begins the epoch again: not in state_dict(), not set by "
    "load_state_dict(), or reset by set_epoch() or __iter__."
)
NOT_QUITE = (
    "What is counted, as it is in the right order and goes on at another place: items that were yielded, "
    "before the yield and not behind it."
)
OTHER_ORDER = (
    "What the order is made from, as it goes on in another order: the epoch, or the generator as it was "
    "before the order was drawn, belongs in state_dict() and has to be restored by load_state_dict()."
)
RAISED = (
    "What raises there: state_dict() and load_state_dict() are to work at any step. If it is never resumed, "
    'declare resume="none".'
)
AT_THE_START = (
    "What is not there before the first item: a state may be saved before anything was yielded, so set in "
    "__init__ what state_dict() and load_state_dict() read."
)
CONSUMED = (
    "How the epoch and the place in it are read from consumed, which counts on over all ranks and epochs; "
    "the first pass begins there, later ones at their beginning."
)
_RAISED = re.compile(r"(.+?) raised (\w+)")


def hint_at(found: Pass | None, due: Pass, whole: Pass, hint: str) -> str:
    """Return where to look: the hint that was given, or else by what came of an epoch where what was due."""
    if found is None or hint:
        return hint or RAISED
    items = found.items
    if items == whole.items:
        return FROM_THE_START
    if items and items == whole.items[-len(items) :]:
        return NOT_QUITE
    return OTHER_ORDER if len(items) == len(due.items) else AGAIN


def name_error(error: str) -> str:
    """Say in a few words what raised which exception in a run that could not be resumed."""
    raised = _RAISED.match(error)
    if raised is None:
        return "its state cannot be saved or loaded"
    who, what = raised.groups()
    return f"{who} raises {what}" if who.endswith(")") else f"raises {what} when it is resumed"
