"""What names and files are told that name no target, and a way to forget what was imported to find out."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from samplercheck.targets.locate import locate
from samplercheck.values.errors import TargetError


@contextmanager
def forgetting_imports() -> Iterator[None]:
    """Forget all modules that are imported meanwhile."""
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        del sys.modules[name]


def said_of(reference: str) -> str:
    """Return the message for a text that names no target."""
    with pytest.raises(TargetError) as caught:
        locate(reference)
    return str(caught.value)
