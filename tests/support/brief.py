"""A quick run that looks less far: nearly all that it shows shows in a few cases of each of its phases.

Used by tests that run whole targets, in the set that is run before each push. The nightly tests run the same
targets by the profile as it is.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from samplercheck.search.profiles import PROFILES

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["BRIEF", "BRIEFLY", "look_briefly"]

BRIEF = replace(PROFILES["quick"], longest=4, widest=3, batches=(1, 2), frontier=8_000, sweep=12)
"""All experiments and laws take part, and every phase has cases."""
BRIEFLY = [pytest.param(True, id="brief"), pytest.param(False, id="quick", marks=pytest.mark.slow)]
"""Both for a test that takes part in every run and, by the profile as it is, in the nightly one."""


@contextmanager
def look_briefly(*, briefly: bool = True, **changes: Any) -> Iterator[None]:
    """Let the profile quick look less far in this process, for a while; not where ``briefly`` is false.

    ``changes`` are fields of a profile in which it differs from ``BRIEF``.
    """
    with pytest.MonkeyPatch.context() as patch:
        if briefly:
            patch.setitem(PROFILES, "quick", replace(BRIEF, **changes))
        yield
