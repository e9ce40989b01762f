"""What every test process needs: signals that work, also where the suite runs in the background, and a home.

What the kit remembers of its user is kept out of the home of the user who runs the tests.
"""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import signal
import tempfile
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from tests.support.browser import Browser, find_browser

if TYPE_CHECKING:
    from collections.abc import Iterator

pytest_plugins = ["pytester"]

# Shells start background jobs with SIGINT ignored, nohup ignores SIGHUP, and children inherit that: tests
# that end a child by a signal would wait in vain.
for name, usual in (("SIGINT", signal.default_int_handler), ("SIGHUP", signal.SIG_DFL)):
    number = getattr(signal, name, None)  # Windows has no SIGHUP
    if number is not None and signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, usual)

os.environ.pop("GITHUB_STEP_SUMMARY", None)  # what the tests report is no news for those who look at CI
os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="samplercheck-tests-")
atexit.register(shutil.rmtree, os.environ["XDG_STATE_HOME"], ignore_errors=True)
# As pyproject.toml says it; a checkout that was installed before it did so says nothing.
os.environ["SAMPLERCHECK_DOCUMENTATION"] = "https://samplercheck.readthedocs.io/"

# A busy machine is no failure of the code: what takes too long is a test's own claim, by a clock it chose.
settings.register_profile(
    "tests", parent=settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("tests")


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Keep what was collected out of the search for garbage, which went through it thousands of times."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def brief() -> Iterator[None]:
    """Let quick runs of this process look less far, for tests of what any run shows."""
    from tests.support.brief import look_briefly  # with it the kit, which the plugin's own tests load late

    with look_briefly():
        yield


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all tests of pages."""
    path = find_browser()
    if not path:
        pytest.skip("no Chromium on this machine: install the package chromium, or set SAMPLERCHECK_BROWSER")
    opened = Browser(path)
    yield opened
    opened.close()
