"""``infer`` prints a contract that one can paste, and says what is weaker than the default."""

from __future__ import annotations

import pytest

from tests.support.command_line import a_target, call, is_screen


@pytest.mark.thorough
def test_a_kept_tail_is_proposed_and_called_weaker() -> None:
    done = call("infer", a_target("uneven"))
    assert done.exit_code == 0, done.output
    assert is_screen(done.output)
    start = done.output.index("sc.Contract(")
    assert done.output[start:].startswith(
        "sc.Contract(\n        tail='keep',  # weaker than the default\n        layout='strided',\n    )\n"
    )
    assert "broken, whatever is promised" not in done.output
    assert "SC104 equal-steps in n=1,world=2,batch=1" in done.output
    assert "It seems to evaluate (with uneven ends):" in done.output
    assert "If not meant, SC104 and SC105 are the bug." in done.output
    assert "as an option                --contract tail=keep,layout=strided\n" in done.output


def test_a_promise_of_no_contract_is_usage() -> None:
    done = call("infer", a_target("uneven"), "--contract", "tial=keep")
    assert done.exit_code == 2
    assert "Did you mean 'tail'" in " ".join(done.output.split())
