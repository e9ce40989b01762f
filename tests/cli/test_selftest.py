"""``selftest`` shows every sampler that it looks at and ends well on a machine that sees."""

from __future__ import annotations

import pytest

from samplercheck.certifying.selftest import SOUND
from tests.support.command_line import call, is_screen


@pytest.mark.slow
def test_this_installation_sees() -> None:
    done = call("selftest")
    assert done.exit_code == 0
    assert "ok      SC104   shortens-rank-0" in done.output
    passed = done.output.count("\nok ") + done.output.startswith("ok ")
    assert passed > len(SOUND)
    assert f"detects known bugs: all {passed} checks passed" in done.output
    assert is_screen(done.output)


def test_an_installation_that_does_not_see_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    from samplercheck.certifying import selftest
    from samplercheck.certifying.selftest import Finding

    blind = (Finding("drops-the-last", "SC102", ok=False, says="NOT SEEN"),)
    monkeypatch.setattr(selftest, "selftest", lambda: iter(blind))
    done = call("selftest")
    assert done.exit_code == 4
    assert "FAILED  SC102   drops-the-last              NOT SEEN" in done.output
    assert "Do not trust this installation: 1 of 1 checks failed" in done.output
