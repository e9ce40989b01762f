"""What tests of lines need: nothing else that traces."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def untraced() -> Iterator[None]:
    """Lets the kit trace, whatever measures the tests."""
    tracer = sys.gettrace()
    sys.settrace(None)
    yield
    sys.settrace(tracer)
