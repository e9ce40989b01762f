"""Real processes: what the parent loads, Ctrl-C, the parent's death, and what is left afterwards."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.hostile.command import HERE, RUN, environment, finished, is_alive, started
from tests.support.waiting import until

ONE_LAW = ("--select", "SC001")
WITH_CTRL_C = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "


def noted(directory):
    """Wait for the process id that the target notes."""
    notes = directory / "notes"
    assert until(lambda: notes.exists() and notes.read_text().endswith("\n"))
    return int(notes.read_text().split()[0])


@pytest.fixture
def interruptible(tmp_path):
    """The command line on a target, in a process that takes Ctrl-C however the tests were started."""
    running = []

    def start(target):
        code = (
            f"{WITH_CTRL_C}import sys; sys.argv = {['samplercheck', *RUN[2:], f'{HERE}{os.sep}{target}']!r}; "
            "from samplercheck.cli.main import main; main()"
        )
        running.append(
            subprocess.Popen(
                [sys.executable, "-c", code],
                cwd=tmp_path,
                env=environment(tmp_path),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
        )
        return running[-1], noted(tmp_path)

    yield start
    for process in running:
        process.kill()
        process.communicate()


@pytest.mark.thorough
def test_the_parent_loads_neither_torch_nor_numpy_nor_hypothesis(tmp_path):
    code = (
        "import sys; from samplercheck.running.supervised import run_supervised; "
        "from samplercheck.engine.plan import Plan; "
        "what = {'target': 'torch.utils.data:DistributedSampler', 'select': ['SC001']}; "
        "plan = Plan(**what, changes=True, profile='quick'); "
        "report = run_supervised(plan); "
        "print(report['ok'], sorted({'torch', 'numpy', 'hypothesis'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(tmp_path, TMPDIR=str(tmp_path)),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("True []\n", "")
    assert list(tmp_path.glob("samplercheck-*")) == []


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", pytest.param("SIGHUP", marks=pytest.mark.slow)])
def test_what_ends_a_program_leaves_a_partial_report_no_process_and_no_file(interruptible, name, tmp_path):
    process, child = interruptible("noted.py:Sleeps")
    process.send_signal(getattr(signal, name))
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert json.loads(out)["interrupted"] is True
    assert not is_alive(child)
    assert list(tmp_path.glob("samplercheck-*")) == []


@pytest.mark.thorough
@pytest.mark.parametrize("target", ["DropsAndHoldsTheInterpreter", "DropsAndSwallows"])
def test_what_was_found_is_told_where_the_target_never_lets_go(interruptible, target, tmp_path):
    process, child = interruptible(f"noted.py:{target}")
    process.send_signal(signal.SIGTERM)
    report = json.loads(process.communicate(timeout=60)[0])
    assert (process.returncode, report["interrupted"]) == (130, True)
    assert "SC102" in {one["code"] for one in report["results"] if one["outcome"] == "broken"}
    assert "did not let go" in report["notes"][-1]
    assert not is_alive(child)
    assert list(tmp_path.glob("samplercheck-*")) == []


def test_what_nohup_ignores_is_ignored(tmp_path):
    program = (
        "import os, signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        "from samplercheck.cli.main import interruptible\n"
        "from samplercheck.running.watch import Interrupts\n"
        "with interruptible(), Interrupts() as heard:\n"
        "    os.kill(os.getpid(), signal.SIGHUP)\n"
        "    print(heard.count)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr, done.returncode) == ("0\n", "", 0)


LIBRARY = """
import sys
import samplercheck as sc
if __name__ == "__main__":
    sc.run({target!r}, profile="quick", isolate=True)
    print("went on")
"""


@pytest.mark.thorough
def test_a_program_that_uses_the_kit_ends_by_the_signal_and_nothing_is_left(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(LIBRARY.format(target=f"{HERE}{os.sep}noted.py:Sleeps"))
    process = subprocess.Popen(
        [sys.executable, str(program)],
        cwd=tmp_path,
        env=environment(tmp_path),
        stdout=subprocess.PIPE,
        text=True,
    )
    child = noted(tmp_path)
    process.send_signal(signal.SIGTERM)
    out, _ = process.communicate(timeout=60)
    assert (out, process.returncode) == ("", -signal.SIGTERM)
    assert not is_alive(child)
    assert list(tmp_path.glob("samplercheck-*")) == []


@pytest.mark.thorough
def test_a_target_that_swallows_ctrl_c_is_ended_two_seconds_later(interruptible):
    process, child = interruptible("noted.py:Swallows")
    before = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    assert process.returncode == 130
    assert json.loads(out)["interrupted"] is True
    assert 1.5 < time.monotonic() - before < 8
    assert not is_alive(child)


@pytest.mark.thorough
def test_a_second_ctrl_c_does_not_wait(interruptible):
    process, child = interruptible("noted.py:Swallows")
    before = time.monotonic()
    process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    assert process.returncode == 130
    assert time.monotonic() - before < 1.9
    assert not is_alive(child)


@pytest.mark.thorough
@pytest.mark.parametrize("target", ["noted.py:Sleeps", "noted.py:HoldsTheInterpreter"])
def test_the_child_ends_when_its_parent_is_killed(tmp_path, target):
    if target.endswith("HoldsTheInterpreter") and sys.platform != "linux":
        pytest.skip("only Linux ends a process that holds the interpreter when its parent dies")
    process = started(target, tmp_path)
    child = noted(tmp_path)
    process.kill()
    process.communicate()
    assert until(lambda: not is_alive(child), 10)


@pytest.mark.thorough
def test_a_crash_that_does_not_come_again_is_found_and_said_to_be_so(tmp_path):
    done = finished("noted.py:CrashesOnce", tmp_path)
    assert done.returncode == 1
    (failure,) = [one["failure"] for one in json.loads(done.stdout)["results"] if one["outcome"] == "broken"]
    assert failure["message"] == (
        "rank 1 crashed (exit status 5: not reproduced when the case was run again alone) "
        "in the experiment 'epochs'"
    )


@pytest.mark.thorough
def test_a_kill_that_does_not_come_again_is_not_held_against_the_target(tmp_path):
    done = finished("noted.py:IsKilledOnce", tmp_path)
    report = json.loads(done.stdout)
    assert (done.returncode, report["outcome"]) == (3, "unknown")
    assert report["notes"] == ["the process ended (SIGKILL), but not when the case was run again alone"]


@pytest.mark.thorough
def test_the_interpreters_flags_reach_the_child_and_its_arguments_do_not(tmp_path):
    done = finished("noted.py:SaysHowItRuns", tmp_path, "-O", "-W", "ignore::ImportWarning", words=ONE_LAW)
    assert done.returncode == 0
    assert set((tmp_path / "notes").read_text().splitlines()) == {"1 ['ignore::ImportWarning'] ['-c']"}


@pytest.mark.thorough
def test_a_deadline_that_is_no_time_is_a_usage_error(tmp_path):
    done = finished("samplers.py:Sound", tmp_path, SAMPLERCHECK_DEADLINE="soon")
    assert done.returncode == 2
    said = " ".join(done.stderr.split())
    assert "SAMPLERCHECK_DEADLINE='soon' is no time: write seconds, as in 2.5." in said


@pytest.mark.thorough
def test_a_target_that_does_not_exist_is_a_usage_error_from_the_child(tmp_path):
    done = finished("samplers.py:Sond", tmp_path)
    assert done.returncode == 2
    assert "Did you mean 'Sound'?" in " ".join(done.stderr.split())


@pytest.mark.thorough
def test_nothing_is_left_in_the_temporary_directory(tmp_path):
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    finished("samplers.py:EndsTheProcess", tmp_path, words=ONE_LAW, TMPDIR=str(temporary))
    assert [one.name for one in Path(temporary).iterdir()] == []
