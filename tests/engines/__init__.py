"""Real launchers and schedulers, which start the kit as users do; skipped where they are missing."""

import pytest

pytest.register_assert_rewrite("tests.engines.launched")
