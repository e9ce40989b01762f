"""``run`` on targets of pyproject.toml: which are meant, with which settings, and their known failures."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from samplercheck import Case, known
from samplercheck.cli.asking import PlannedRun, plan_runs, read_options
from samplercheck.cli.known import settle_known
from samplercheck.engine.plan import Plan
from samplercheck.running.config import read_config
from samplercheck.running.config.known import KnownFailure
from samplercheck.running.config.settings import environment
from samplercheck.values.errors import StoreError, UsageError
from samplercheck.values.finding import VACUOUS
from tests.support.command_line import a_target, call

SILENT: dict[str, Any] = {
    "profile": None,
    "worlds": (),
    "max_ranks": None,
    "max_memory": None,
    "select": (),
    "skip": (),
    "seed": None,
    "max_time": None,
    "max_cases": None,
    "contract": (),
    "axis": (),
}
CONFIG = """
[tool.samplercheck]
profile = "quick"
max-ranks = 4

[tool.samplercheck.targets.bucket]
factory = "mypkg.samplers:BucketSampler"
contract = { tail = "drop", repeats = 2 }
axes = { bucket = [1, 4] }
select = ["SC1"]
skip = { SC105 = "issue 12" }

[tool.samplercheck.targets.plain]
factory = "mypkg.samplers:Plain"
worlds = ["simulated"]
"""


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", list(sys.path))
    (tmp_path / "pyproject.toml").write_text(CONFIG)
    return tmp_path


def requests(*words: str, variables: dict[str, str] | None = None, **options: Any) -> list[Plan]:
    """What is asked for in this project."""
    options = {**SILENT, **options}
    said = (read_options(options), environment(variables or {}))
    return [one.plan for one in plan_runs(words, options, read_config(Path.cwd()), *said)]


class TestWhichTargets:
    def test_a_name_is_a_configured_target_with_what_its_table_says(self) -> None:
        (request,) = requests("bucket")
        assert (request.target, request.profile) == ("mypkg.samplers:BucketSampler", "quick")
        assert isinstance(request.contract, dict)
        assert (request.contract["tail"], request.contract["repeats"]) == ("drop", 2)
        assert request.axes == {"bucket": [1, 4]}
        assert (request.select, request.skip) == (("SC1",), {"SC105": "issue 12"})
        assert request.world_settings == {"max_ranks": 4}
        again = Plan.from_dict(json.loads(json.dumps(request.to_dict())))
        assert request.store is not None
        assert again.store is not None
        assert again.store.directory == request.store.directory
        assert replace(again, store=request.store) == request

    def test_without_a_name_all_are_meant(self) -> None:
        assert [one.target for one in requests()] == ["mypkg.samplers:BucketSampler", "mypkg.samplers:Plain"]

    def test_one_that_is_written_out_has_the_general_settings_alone(self) -> None:
        (request,) = requests("other:Sampler")
        assert (request.target, request.profile, request.contract) == ("other:Sampler", "quick", {})

    def test_the_command_line_goes_before_the_table(self) -> None:
        (request,) = requests(
            "bucket",
            contract=("tail=pad",),
            axis=("bucket=8",),
            select=("SC402",),
            skip=("SC103=issue 3",),
            profile="standard",
            variables={"SAMPLERCHECK_PROFILE": "nightly", "SAMPLERCHECK_SEED": "9"},
        )
        assert isinstance(request.contract, dict)
        assert (request.contract["tail"], request.contract["repeats"]) == ("pad", 2)
        assert request.axes == {"bucket": [8]}
        assert request.select == ("SC402",)
        assert request.skip == {"SC105": "issue 12", "SC103": "issue 3"}
        assert (request.profile, request.seed) == ("standard", 9)

    def test_a_name_that_is_not_configured_is_refused_with_the_nearest(self) -> None:
        with pytest.raises(UsageError, match=r"No target 'bukcet' is configured.*Did you mean 'bucket'"):
            requests("bukcet")

    def test_a_project_without_targets_needs_a_name(self, project: Path) -> None:
        (project / "pyproject.toml").unlink()
        with pytest.raises(UsageError, match="No target is named, and none is configured"):
            requests()
        assert call("run").exit_code == 2


class TestShowConfig:
    def test_every_setting_is_shown_with_its_origin_and_nothing_is_run(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("SAMPLERCHECK_SEED", "3")
        done = call("run", "--show-config", "--max-time", "30")
        assert done.exit_code == 0
        lines = [line.split(maxsplit=2) for line in done.stdout.split("\n")]
        for row in (
            ["profile", "quick", "[tool.samplercheck]"],
            ["seed", "3", "SAMPLERCHECK_SEED"],
            ["max-time", "30.0", "command line"],
            ["max-ranks", "4", "[tool.samplercheck]"],
            ["worlds", "simulated", "[tool.samplercheck.targets.plain]"],
            ["target", "bucket"],
            ["axis", "bucket", "= [1, 4]"],
            ["skip", "SC105:", "issue 12"],
        ):
            assert row in lines
        assert "contract      Contract(tail='drop', repeats=2)\n" in done.stdout

    def test_without_a_file_it_says_so(self, project: Path) -> None:
        (project / "pyproject.toml").unlink()
        assert call("run", "--show-config").stdout.startswith("configuration none: no pyproject.toml has")


class Judge:
    """Stands in for runs: answers with outcomes, the last one again and again, and keeps what was asked."""

    def __init__(self, *outcomes: str, reason: str = "does not apply") -> None:
        self.outcomes = list(outcomes)
        self.reason = reason
        self.asked: list[Plan] = []

    def __call__(self, request: Plan) -> dict[str, Any]:
        self.asked.append(request)
        outcome = self.outcomes.pop(0) if len(self.outcomes) > 1 else self.outcomes[0]
        result = {"code": "SC104", "name": "equal-steps", "outcome": outcome, "reason": self.reason}
        return {"results": [result]}


REQUEST = Plan(target="mypkg:Sampler", contract={}, changes=True, select=("SC1",), skip={"SC105": "issue 12"})
ENTRY = known("n=1,world=2", reason="issue 13", until=date(2027, 1, 31))


def settled_with(judge: Judge, *entries: KnownFailure) -> tuple[Plan, int]:
    return settle_known(PlannedRun(plan=REQUEST, known={"SC104": entries}), judge, date(2027, 1, 31))


class TestKnownFailures:
    def test_one_that_fails_is_run_alone_and_leaves_its_law_out(self) -> None:
        judge = Judge("broken")
        request, code = settled_with(judge, ENTRY)
        (alone,) = judge.asked
        assert (alone.cases, alone.select, alone.skip) == ((Case.parse("n=1,world=2"),), ("SC104",), {})
        assert alone.store is None
        assert code == 0
        assert request == replace(REQUEST, skip={"SC105": "issue 12", "SC104": ENTRY.text})

    @pytest.mark.parametrize(
        ("outcome", "code", "said"),
        [
            (
                "holds",
                1,
                "STALE: SC104 equal-steps of mypkg:Sampler holds in the known failure n=1,world=2,batch=1",
            ),
            ("not_applicable", 1, "STALE: SC104 equal-steps of mypkg:Sampler does not apply in the known"),
            (
                "unknown",
                3,
                "SC104 equal-steps of mypkg:Sampler is unknown in the known failure n=1,world=2,batch=1",
            ),
        ],
    )
    def test_one_that_does_not_fail_is_told_and_its_law_is_run(
        self, outcome: str, code: int, said: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert settled_with(Judge(outcome), ENTRY) == (REQUEST, code)
        assert said in " ".join(capsys.readouterr().err.split())

    def test_one_whose_case_has_nothing_left_to_judge_is_stale(
        self, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert settled_with(Judge("unknown", reason=VACUOUS), ENTRY) == (REQUEST, 1)
        assert "STALE: SC104 equal-steps of mypkg:Sampler not checked: no case exercised it" in " ".join(
            capsys.readouterr().err.split()
        )

    def test_a_law_with_several_is_left_out_only_while_all_fail(self) -> None:
        other = replace(ENTRY, case="n=3,world=2")
        request, code = settled_with(Judge("broken", "holds"), ENTRY, other)
        assert (request, code) == (REQUEST, 1)
        request, code = settled_with(Judge("broken"), ENTRY, other)
        assert request.skip["SC104"] == f"{ENTRY.text}; {other.text}"

    def test_one_past_its_date_is_an_error(self) -> None:
        judge = Judge("broken")
        with pytest.raises(UsageError, match=r"^SC104: .*\(until 2027-01-31\) is past its date"):
            settle_known(PlannedRun(plan=REQUEST, known={"SC104": (ENTRY,)}), judge, date(2027, 2, 1))
        assert judge.asked == []

    def test_one_whose_case_is_not_stored_is_an_error(self) -> None:
        with pytest.raises((UsageError, StoreError), match=r"no case with this id is stored in \.sampler"):
            settled_with(Judge("broken"), replace(ENTRY, case="q7m2xw3k"))


@pytest.mark.slow
def test_known_failures_and_the_rest_end_in_one_exit_code(project: Path) -> None:
    known = "known-failures = { SC104 = { case = 'n=1,world=2', reason = 'issue 13' } }\n"
    (project / "pyproject.toml").write_text(
        f"[tool.samplercheck]\nprofile = 'quick'\n[tool.samplercheck.targets.uneven]\n"
        f"factory = '{a_target('uneven')}'\nselect = ['SC102', 'SC104']\n{known}"
    )
    done = call("run", "uneven", "--format", "concise")
    assert done.exit_code == 0, done.output
    assert "SKIPPED SC104 equal-steps" in done.stdout
    assert "known failure n=1,world=2,batch=1: issue 13" in " ".join(done.stdout.split())
