"""``samplercheck drill``: a job is killed at chosen steps and started again, and what is wrong is found.

Most of these jobs import no torch (``plain_job``), so that they take a second; the real ones are slow.
"""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import numpy as np
import pytest

import samplercheck as sc
from samplercheck.laws.history import as_undisturbed
from samplercheck.training.drills import Drill, carry_out
from samplercheck.training.drills.commands import Command
from samplercheck.training.drills.kills import Kill
from samplercheck.training.drills.trainings import copy_tree, with_world
from samplercheck.values.deliveries import Window
from samplercheck.values.finding import Outcome
from tests.support.command_line import call, is_screen
from tests.support.histories import HeldDeliveries, a_history
from tests.training.jobs import broken

PLAIN, SCRIPT = (str(Path(__file__).with_name(name)) for name in ("plain_job.py", "script.py"))
ONCE, GOES_ON, WHOLE, UNDISTURBED = "SC1101", "SC1102", "SC1103", "SC1108"


def drill(*words, fault="", at=("15",), promise="same-order", patience=60.0, **asked):
    """Drill the job without torch; return the report, and what was said on the way."""
    said = []
    command = (sys.executable, *(words or (PLAIN, "{dir}")), *(["--fault", fault] if fault else []))
    asked |= {"at": tuple(map(Kill.parse, at)), "promise": promise, "patience": patience}
    return carry_out(Drill(words=command, **asked), said.append), said


def is_running(pid):
    """Whether a process is there, and does not only wait for its parent to hear of its end."""
    try:
        return bool(Path("/proc", pid, "cmdline").read_bytes())
    except FileNotFoundError:
        return False


def outcomes(report):
    return {one.code: one.outcome for one in report.results}


@pytest.mark.thorough
def test_a_sound_job_is_sound_wherever_it_is_killed():
    report, said = drill(at=["0+", "3+", "8+", "7/4+"])
    assert report.ok, str(report)
    assert outcomes(report)[UNDISTURBED] is Outcome.HOLDS
    assert said[1:] == [
        "killed before step 1: sound, began from the start",
        "killed after all of step 3: sound",
        "killed after all of step 8: sound",
        "killed after step 7, then after all of step 4: sound",
    ]


@pytest.mark.thorough
def test_a_kill_that_is_named_twice_is_tried_once():
    report, said = drill(at=["8+", "4", "8+"])
    assert report.ok, str(report)
    assert said[1:] == ["killed after all of step 8: sound", "killed after step 4: sound"]


@pytest.mark.thorough
def test_kills_are_chosen_at_telling_places_and_the_earliest_that_shows_a_fault_is_told(tmp_path):
    job = (sys.executable, PLAIN, "{dir}", "--fault", "again")
    done = call("drill", "--kills", "2", "--report", str(tmp_path), "--", *job)
    assert done.exit_code == 1
    assert is_screen(done.stdout.replace(PLAIN, "job.py").replace(sys.executable, "python"))
    assert "killed after step 16 (in a later epoch), started again" in done.stdout
    assert "samplercheck drill --at 16 --" in done.stdout
    assert "<- goes on from step 15 of attempt 1, in epoch 1" in done.stdout
    assert "killed after step 7 (beside a checkpoint): sound" in done.stderr
    assert (tmp_path / "report.json").exists()


@pytest.mark.thorough
def test_a_job_that_repeats_a_part_of_an_epoch_breaks_the_laws_about_that():
    report, _ = drill(fault="again", at=["7", "16"])
    assert broken(report) == {ONCE, GOES_ON, UNDISTURBED}
    failures = {one.code: one.failure for one in report.failures}
    assert failures[UNDISTURBED].follows == ONCE
    assert "attempt 2 has other samples in step 7 of epoch 1" in failures[UNDISTURBED].message


@pytest.mark.thorough
def test_orders_that_are_drawn_afresh_are_compared_by_their_samples():
    report, _ = drill(fault="unseeded", promise=None)
    assert outcomes(report)[UNDISTURBED] is Outcome.HOLDS
    assert "other orders" in " ".join(report.notes)
    assert UNDISTURBED in broken(drill(fault="unseeded", promise="same-order")[0])


@pytest.mark.thorough
def test_a_job_that_never_checkpoints_is_told_so_and_not_blamed():
    report, _ = drill(fault="never")
    assert set(outcomes(report).values()) == {Outcome.NOT_APPLICABLE}
    assert "it goes on from no checkpoint" in " ".join(report.notes)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("fault", "patience", "words"),
    [
        ("crash", 60.0, "start 2 ended with exit code 1: no such key: optimizer"),
        ("hang", 3.0, "start 2 hung and was ended"),
    ],
)
def test_a_start_that_fails_leaves_the_comparison_undecided(fault, patience, words):
    report, _ = drill(fault=fault, patience=patience)
    assert outcomes(report)[UNDISTURBED] is Outcome.UNKNOWN
    assert words in " ".join(report.notes)


@pytest.mark.thorough
def test_a_state_outside_of_the_directory_is_refused(tmp_path):
    with pytest.raises(sc.SamplerCheckError, match=r"Write \{dir\} where the command names"):
        drill(PLAIN, str(tmp_path), promise=None)


@pytest.mark.thorough
def test_without_a_name_for_it_each_training_runs_in_a_copy_of_the_directory(tmp_path, monkeypatch):
    (tmp_path / "job.py").write_text(Path(PLAIN).read_text())
    monkeypatch.chdir(tmp_path)
    assert drill("job.py", ".")[0].ok
    assert [one.name for one in tmp_path.iterdir()] == ["job.py"]


@pytest.mark.thorough
def test_nothing_of_a_job_is_left_and_all_is_kept_where_that_is_wanted(tmp_path):
    drill(fault="children", keep=tmp_path / "kept")
    pids = [one.read_text().split()[0] for one in (tmp_path / "kept").glob("*/start-*/output.txt")]
    assert len(pids) == 3
    assert [pid for pid in pids if is_running(pid)] == []
    assert sc.audit(tmp_path / "kept" / "kill-15" / "ledger").ok


@pytest.mark.thorough
def test_a_job_that_fails_undisturbed_and_one_that_is_not_watched_are_usage_errors():
    with pytest.raises(sc.SamplerCheckError, match="ended with exit code 7, before anything was killed"):
        drill("-c", "raise SystemExit(7)")
    with pytest.raises(sc.SamplerCheckError, match="no DataLoader was watched"):
        drill("-c", "")


def test_a_signal_that_a_job_may_answer_reaches_it(tmp_path):
    answer = "import signal, sys, time; signal.signal(15, lambda *_: sys.exit(3)); "
    answer += "open('.0', 'w').write('1'); os.rename('.0', 'rank.0')"
    place = tmp_path / "start"
    words = [sys.executable, "-c", f"import os; os.chdir({str(place)!r}); {answer}; time.sleep(60)"]
    command = Command(words, tmp_path, place, {"SAMPLERCHECK_ATTEMPT": "x"}, tmp_path)
    ending = command.wait(20.0, signal.SIGTERM)
    assert (ending.how, ending.code) == ("killed", 3)


class Interrupted(Command):
    def _watch(self, patience):
        raise KeyboardInterrupt


def test_an_interrupted_drill_leaves_nothing_running(tmp_path):
    environment = {"SAMPLERCHECK_ATTEMPT": "y"}
    command = Interrupted(["/bin/sleep", "300"], tmp_path, tmp_path / "start", environment, tmp_path)
    with pytest.raises(KeyboardInterrupt):
        command.wait(20.0, signal.SIGKILL)
    assert not is_running(str(command._job.pid))


def test_a_misspelt_option_is_no_part_of_the_command():
    assert "No such option" in call("drill", "--kils", "3", "--", "true").output


@pytest.mark.parametrize("text", ["", "0", "+", "x", "3-", "3/", "3/0"])
def test_a_step_that_is_none_is_refused(text):
    with pytest.raises(sc.SamplerCheckError, match="names no step"):
        Kill.parse(text)


def test_the_number_of_ranks_is_put_where_launchers_take_it():
    assert with_world(["torchrun", "--nproc-per-node=2", "x.py"], 1)[1] == "--nproc-per-node=1"
    assert with_world(["accelerate", "launch", "--num_processes", "2"], 4)[3] == "4"
    with pytest.raises(sc.SamplerCheckError, match="by --again"):
        with_world(["python", "x.py"], 2)


def test_large_directories_are_not_copied(tmp_path, monkeypatch):
    monkeypatch.setattr("samplercheck.training.drills.trainings.MOST_COPIED", 10)
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "data.bin").write_bytes(b"x" * 11)
    with pytest.raises(sc.SamplerCheckError, match="is not copied for each training"):
        copy_tree(tmp_path / "here", tmp_path / "there", tmp_path / "none")


def history(*epochs, undisturbed=None, promise="same-order"):
    """A history of one rank, whose epochs are lists of batches."""
    held = []
    for batches in epochs:
        window = Window(
            counts=np.array([len(one) for one in batches]),
            sums=np.array([sum(one) for one in batches], np.uint64),
            orders=np.array([hash(tuple(one)) % 2**63 for one in batches], np.uint64),
        )
        ids = np.array([one for batch in batches for one in batch], np.int64)
        held.append([HeldDeliveries(window, ids)])
    return a_history(held, batch_size=2, undisturbed=undisturbed, promise=promise)


USUAL = history([[0, 1], [2, 3]], [[3, 1], [0, 2]])


@pytest.mark.parametrize(
    ("epochs", "promise", "found"),
    [
        ([[[0, 1], [2, 3]], [[3, 1], [0, 2]]], "same-order", None),
        ([[[0, 1], [2, 3], [3, 1], [0, 2]]], "same-order", None),  # cut elsewhere, served the same
        ([[[0, 1], [2, 3]], [[3, 1], [2, 0]]], "same-order", "step 1 of epoch 1 on rank 0"),
        ([[[0, 1], [2, 3]], [[3, 1], [3, 1]]], "same-order", "1, 3 once more than it and on 0, 2 less often"),
        ([[[0, 1], [2, 3]], [[3, 1]]], "same-order", "ends before step 1 of epoch 1 on rank 0: 1 step"),
        ([[[0, 1], [2, 3]], [[3, 1], [0, 2], [0, 2]]], "same-order", "goes on for 1 step after its end"),
        ([[[2, 1], [0, 3]], [[3, 2], [0, 1]]], "once", None),
        ([[[2, 1], [0, 3]], [[3, 2], [0, 2]]], "once", "epoch 1 is trained on 4 samples"),
        ([[[2, 1], [0, 3]], [[3, 2], [0, 2]]], "numbers", None),
        ([[[2, 1], [0, 3]], [[3, 2]]], "numbers", "epoch 1 is trained on 2 samples, undisturbed on 4"),
        ([[[2, 1], [0, 3]]], "once", "trained on 1 epochs instead of 2"),
    ],
)
def test_a_history_is_compared_with_the_undisturbed_one(epochs, promise, found):
    seen = history(*epochs, undisturbed=USUAL, promise=promise)
    violations = list(as_undisturbed.judge(seen))
    assert [str(found) in one.found for one in violations] == [True] * (found is not None), violations
