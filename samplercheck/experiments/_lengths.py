"""Lengths: what an error of ``len()`` says, that there is none or that it fails.

Called by ``Seat`` and by the screening of small cases, inside a rank. Standard library alone.
"""

from __future__ import annotations

from math import isfinite
from typing import Any

from samplercheck.experiments.stopped import say_error

NO_INTEGER = ("cannot be interpreted as an integer", "can be converted to an index")
"""What Python says of numbers, and torch of tensors."""


def why_no_length(subject: Any, error: Exception) -> tuple[None, bool, str]:
    """Return no number, whether that means that there is none (else it fails), and what the error says."""
    return None, _says_none(subject, error), say_error(error)


def _says_none(subject: Any, error: Exception) -> bool:
    """Whether ``len()`` refuses to answer, and not for what ``__len__`` returns being no integer.

    A finite number that is no integer was meant for a length; infinity says that there is none.
    """
    if not isinstance(error, TypeError) or not any(one in str(error) for one in NO_INTEGER):
        return isinstance(error, (TypeError, NotImplementedError))
    try:
        return not isfinite(type(subject).__len__(subject))
    except Exception:  # noqa: BLE001  (an error of the method itself, which len() has passed on)
        return True
