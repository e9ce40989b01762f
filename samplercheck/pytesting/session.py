"""The session: its runs, what workers send to their controller, the section in the terminal, the files.

State is kept in pytest's own stashes. Called by the hooks and by whatever needs the runs of an item.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest

from samplercheck.pytesting._meeting import Meeting, Plain
from samplercheck.pytesting._runs import QUESTION, Question, Runs, question_of
from samplercheck.pytesting.options import options_of
from samplercheck.reports.brief import fit_width
from samplercheck.reports.headline import verdict_lines
from samplercheck.reports.publish import publish, tell_step
from samplercheck.reports.terminal import verdicts
from samplercheck.reports.verdict import verdict_of
from samplercheck.storage.report_file import save
from samplercheck.values.errors import StoreError
from samplercheck.worlds.processes.bootstrap import EXIT_HUNG

RUNS = pytest.StashKey[Runs]()
UNSAVED = pytest.StashKey[list[str]]()
SENT = "samplercheck"
LONGEST_NAME = 80


def open_runs(session: pytest.Session) -> None:
    """Look at the items that are left when all selecting is done, and plan the runs for them."""
    for item in session.items:
        call = getattr(item, "callspec", None)
        asked = getattr(call.params.get("law"), "question", None) if call is not None else None
        if isinstance(asked, Question):
            item.stash[QUESTION] = asked
    asking = [item for item in session.items if question_of(item) is not None]
    if not asking:
        return
    runs_in(session.config).plan(asking)
    for item in asking:
        question = item.stash[QUESTION]
        item.user_properties += [
            ("samplercheck.law", question.law.code),
            ("samplercheck.target", question.plan.name),
            ("samplercheck.profile", question.plan.profile),
            ("samplercheck.seed", question.plan.seed),
        ]


def runs_in(config: pytest.Config) -> Runs:
    """Return the runs of a session, opened when they are first needed."""
    if RUNS not in config.stash:
        shared = getattr(config, "workerinput", {}).get(SENT)
        meeting = Meeting(Path(shared)) if shared else None
        options = options_of(config)
        settings = {"give_up": giving_up(config), **options.world_settings}
        if meeting is not None:
            settings["turn"] = meeting.turn
        config.stash[RUNS] = Runs(options, meeting, settings)
    return config.stash[RUNS]


def note_case(item: pytest.Item, case_id: str) -> None:
    """Write down the id of a failing case, for JUnit."""
    noted = ("samplercheck.case", case_id)
    if noted not in item.user_properties:
        item.user_properties.append(noted)


def giving_up(config: pytest.Config) -> Callable[[str], NoReturn]:
    """Return what ends the process when a target cannot be interrupted: pytest's capture hides stderr."""

    def give_up(what: str) -> NoReturn:
        capture = config.pluginmanager.getplugin("capturemanager")
        if capture is not None:
            capture.suspend_global_capture(in_=True)
        os.write(2, f"\nsamplercheck: {what}. pytest ends with status {EXIT_HUNG}.\n".encode())
        os._exit(EXIT_HUNG)

    return give_up


def take_in(config: pytest.Config, answers: dict[str, Plain]) -> None:
    """Take in what a worker knows."""
    runs = config.stash.setdefault(RUNS, Runs(options_of(config), None))
    runs.answers.update(answers)


def close_runs(session: pytest.Session) -> None:
    """Send what is known to the controller or, where there is none, write the reports."""
    config = session.config
    runs = config.stash.get(RUNS, None)
    if runs is None:
        return
    if hasattr(config, "workeroutput"):
        config.workeroutput[SENT] = runs.answers
        return
    if runs.options.report is None:
        return
    reports = _reports(runs)
    try:
        for folder, report in zip(_folders(reports), reports, strict=True):
            save(report, runs.options.report / folder)
        publish(reports, runs.options.report)
        tell_step(reports, os.environ)
    except StoreError as error:
        config.stash[UNSAVED] = [str(error)]
        session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED


def _reports(runs: Runs) -> list[Plain]:
    """Return the reports in an order that does not depend on which worker was first."""
    made = [answer["report"] for _, answer in sorted(runs.answers.items()) if "report" in answer]
    return sorted(made, key=lambda report: str(report["target"]))


def _folders(reports: list[Plain]) -> list[str]:
    """Return a folder for each report: its target's name, with a number where that is not enough."""
    plain = [re.sub(r"[^\w.-]+", "-", one["target"]).strip("-.") for one in reports]
    names = [name[-LONGEST_NAME:] or "target" for name in plain]
    return [
        name if names.count(name) == 1 else f"{name}-{names[:at].count(name) + 1}"
        for at, name in enumerate(names)
    ]


def write_summary(reporter: Any, config: pytest.Config) -> None:
    """Write a section on what was run."""
    runs = config.stash.get(RUNS, None)
    if runs is None or not runs.answers:
        return
    reporter.section("samplercheck")
    width = fit_width(config.get_terminal_writer().fullwidth) - 2
    for report in _reports(runs):
        lines = verdict_lines(verdict_of(report), width=width)
        reporter.write_line("\n".join([*lines, verdicts(report).partition("\n")[2]]))
        ending = f"{report['profile']}    seed {report['seed']}    {report['seconds']:.1f} s"
        reporter.write_line(ending)
    for line in config.stash.get(UNSAVED, ()):
        reporter.write_line(line, red=True)
    if runs.options.report is not None:
        reporter.write_line(f"reports in {runs.options.report}")
