"""The parent's course from child to child, with children of the test's own."""

from __future__ import annotations

import json

import msgspec
import pytest

from samplercheck.running.jobs import ExamineJob, Job, LookJob, RunJob
from samplercheck.running.supervised import _Parent
from samplercheck.running.watch import Ending, Interrupts
from samplercheck.search.profiles import Progress
from samplercheck.values.errors import SamplerCheckError, TargetError, UsageError
from samplercheck.worlds.processes.black_box import IMPORTING, RUNNING, STARTING, Sighting


def ended(status, case="n=1,world=1,batch=1", *, hung=False, stage=RUNNING, **place):
    where = {"rank": 0, "phase": "build", "epoch": None, "step": None, "experiment": "epochs", **place}
    seen = Sighting(stage=stage, case=case, experiments=("epochs",), hung=hung, **where)
    return Ending(status=status, seen=seen)


class Scripted(_Parent):
    """A parent whose children end as the script says."""

    def __init__(self, *endings):
        super().__init__(RunJob(plans=("parcel",)), None, Interrupts(), None)
        self.endings, self.jobs = list(endings), []

    def _attend(self, job):
        self.jobs.append(job)
        return self.endings.pop(0)


REPORT = {"report": {"ok": True}}
SURVIVED = {"survived": True}


def test_the_report_of_a_child_that_lives_is_the_report():
    parent = Scripted(REPORT)
    assert parent.run() == {"ok": True}
    assert parent.jobs == [RunJob(plans=("parcel",), known=(), most_known=None)]


def test_after_a_crash_the_case_is_run_carefully_and_then_never_again():
    parent = Scripted(ended("SIGSEGV"), ended("SIGSEGV", phase="iter", epoch=1, step=2), REPORT)
    assert parent.run() == {"ok": True}
    _, careful, last = parent.jobs
    assert careful == LookJob(plan="parcel", case="n=1,world=1,batch=1", experiments=("epochs",))
    (known,) = last.known
    assert known["case"] == "n=1,world=1,batch=1"
    assert (known["fault"]["kind"], known["fault"]["epoch"], known["fault"]["step"]) == ("crashed", 1, 2)


def test_what_said_itself_that_it_hung_is_not_run_again():
    parent = Scripted(ended("exit status 4", hung=True, phase="next", epoch=0, step=3), REPORT)
    parent.run()
    assert len(parent.jobs) == 2
    assert parent.jobs[1].known[0]["fault"]["kind"] == "deadline"


def test_after_an_end_while_screening_the_experiments_are_run_one_by_one():
    parent = Scripted(ended("exit status 4", hung=True, experiment=""), ended("SIGSEGV"), SURVIVED, REPORT)
    parent.run()
    first, second, careful, last = parent.jobs
    assert (first.screens, second.screens, last.screens) == (True, False, False)
    assert (second.known, type(careful), len(last.known)) == ((), LookJob, 1)


def test_a_crash_that_is_not_reproduced_is_still_a_fault():
    parent = Scripted(ended("SIGSEGV"), SURVIVED, REPORT)
    parent.run()
    assert "not reproduced" in parent.jobs[2].known[0]["fault"]["message"]


@pytest.mark.parametrize("status", ["SIGKILL", "hung"])
def test_an_end_from_outside_that_is_not_reproduced_is_unknown(status):
    parent = Scripted(ended(status), SURVIVED, REPORT)
    parent.run()
    (known,) = parent.jobs[2].known
    assert known["unknown"] == f"the process ended ({status}), but not when the case was run again alone"


def test_after_six_faults_nothing_is_run_behind_them_and_in_the_end_nothing_at_all():
    crashes = [ended("exit status 4", f"n={n},world=1,batch=1", hung=True) for n in range(7)]
    parent = Scripted(*crashes, REPORT)
    assert parent.run() == {"ok": True}
    assert [job.most_known for job in parent.jobs] == [None] * 6 + [6, 0]
    assert len(parent.jobs[-1].known) == 7


def test_a_target_that_ends_even_what_does_not_run_it_is_an_error():
    crashes = [ended("exit status 4", f"n={n},world=1,batch=1", hung=True) for n in range(8)]
    with pytest.raises(TargetError, match="8 times"):
        Scripted(*crashes).run()


@pytest.mark.parametrize(
    ("stage", "kind", "text"),
    [
        (STARTING, SamplerCheckError, r"ended \(SIGSEGV\) before it began"),
        (IMPORTING, TargetError, r"ends the process \(SIGSEGV\) when it is imported"),
        (RUNNING, UsageError, r"ended \(SIGSEGV\) before the first case"),
    ],
)
def test_an_end_before_any_case_is_an_error_that_says_when(stage, kind, text):
    with pytest.raises(kind, match=text) as raised:
        Scripted(ended("SIGSEGV", "", stage=stage)).run()
    assert type(raised.value) is kind


def test_an_import_that_does_not_end_is_the_targets_error():
    with pytest.raises(TargetError, match="does not end in 300 s"):
        Scripted(ended("hung", "", stage=IMPORTING)).run()


def test_the_kits_own_errors_keep_their_class_on_the_way():
    with pytest.raises(TargetError, match="no such thing"):
        Scripted({"error": ["TargetError", "no such thing"]}).run()


def test_a_fault_of_the_kit_shows_its_traceback():
    with pytest.raises(SamplerCheckError, match="ZeroDivisionError") as raised:
        Scripted({"fault": "Traceback ...\nZeroDivisionError"}).run()
    assert not isinstance(raised.value, UsageError)


def test_an_interruption_without_a_report_is_a_keyboard_interrupt():
    with pytest.raises(KeyboardInterrupt):
        Scripted({"interrupted": True}).run()


def test_progress_of_a_search_that_begins_again_never_goes_back():
    shown = []
    parent = _Parent(RunJob(plans=()), None, Interrupts(), shown.append)
    for done in (64, 128, 64, 128, 192):
        parent._show(Progress("small scope", done, 520))
    assert [one.done for one in shown] == [64, 128, 128, 192]


@pytest.mark.parametrize(
    "job",
    [
        RunJob(plans=({"target": "m:f"}, "parcel"), known=({"case": "n=1", "fault": None},), most_known=6),
        ExamineJob(plans=({"target": "m:f"},), allow_dirty=True),
        LookJob(plan="parcel", case="n=1,world=1,batch=1", experiments=("epochs",)),
    ],
)
def test_a_job_survives_json(job):
    assert msgspec.convert(json.loads(json.dumps(msgspec.to_builtins(job))), Job) == job


def test_a_careful_look_is_at_the_plan_that_names_the_case():
    plans = ({"cases": ["n=1"]}, {"cases": ["n=2"]}, "parcel")
    assert RunJob(plans=plans).plan_with("n=2") == plans[1]
    assert RunJob(plans=plans).plan_with("n=3") == plans[0]
