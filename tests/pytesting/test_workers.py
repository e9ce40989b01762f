"""Workers of pytest-xdist: equal items, one search for all of them, everything known to the controller."""

from __future__ import annotations

import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

import pytest

from tests.pytesting.suites import reports_in, write_suite

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("xdist")

LAWS = "['SC101', 'SC102', 'SC103', 'SC104', 'SC105']"
QUIET = ("-p", "no:cacheprovider", "-v")
LONGEST = 300


def session(pytester: pytest.Pytester, *words: str, notes: str = "notes") -> subprocess.CompletedProcess[str]:
    """Run pytest in a process of its own, as users do."""
    folder = pytester.mkdir(f"tmp-{notes}")
    environment = {**os.environ, "NOTES": str(pytester.path / notes), "TMPDIR": str(folder)}
    return subprocess.run(
        [sys.executable, "-m", "pytest", *QUIET, *words],
        cwd=pytester.path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=LONGEST,
    )


def outcomes(junit: Path) -> dict[str | None, list[str | None]]:
    """What became of each item, and the case that was noted."""
    found: dict[str | None, list[str | None]] = {}
    for case in ET.parse(junit).iter("testcase"):
        noted = [one.get("value") for one in case.iter("property") if one.get("name") == "samplercheck.case"]
        found[case.get("name")] = [*(one.tag for one in case if one.tag != "properties"), *noted]
    return found


@pytest.mark.thorough
def test_the_controller_writes_the_reports_and_the_summary_of_its_workers(pytester):
    write_suite(
        pytester,
        "@sc.parametrize_with_laws('samplers:uneven', profile='quick', select=['SC103', 'SC104'])\n"
        "def test_x(law): law()",
    )
    done = session(pytester, "-n", "2", "--samplercheck-report", "out")
    assert done.returncode == 1, done.stdout + done.stderr
    assert list(reports_in(pytester.path / "out")) == ["samplers-uneven"]
    assert "BROKEN" in done.stdout


@pytest.mark.slow
def test_workers_share_one_search_whatever_deals_out_the_items(pytester):
    write_suite(
        pytester,
        f"@sc.parametrize_with_laws('samplers:noted', 'samplers:uneven', profile='quick', select={LAWS})\n"
        "def test_x(law): law()",
    )
    alone = session(pytester, "--junitxml", "alone.xml", notes="alone")
    shared = session(
        pytester,
        "-n",
        "3",
        "--dist",
        "load",
        "--junitxml",
        "shared.xml",
        "--samplercheck-report",
        "out",
        notes="shared",
    )
    assert (alone.returncode, shared.returncode) == (1, 1), shared.stdout + shared.stderr
    assert outcomes(pytester.path / "shared.xml") == outcomes(pytester.path / "alone.xml")
    workers = (pytester.path / "shared").read_text().splitlines()
    assert len(set(workers)) == 1
    assert len(workers) == len((pytester.path / "alone").read_text().splitlines())
    assert sorted(reports_in(pytester.path / "out")) == ["samplers-noted", "samplers-uneven"]
    assert "5 hold   0 BROKEN" in shared.stdout
    assert list((pytester.path / "tmp-shared").glob("samplercheck-*")) == []


@pytest.mark.slow
def test_a_target_that_ends_its_process_ends_few_workers_and_each_item_is_told(pytester):
    laws = "['SC102', 'SC103', 'SC104', 'SC105', 'SC201']"
    write_suite(
        pytester,
        f"@sc.parametrize_with_laws('samplers:fatal', profile='quick', select={laws})\n"
        "def test_x(law): law()",
    )
    done = session(pytester, "-n", "1")
    assert len((pytester.path / "notes").read_text().splitlines()) == 2
    assert done.stdout.count("crashed while running") >= 2
    assert "2 workers ended in the middle of this run" in done.stdout
    assert "5 failed" in done.stdout


TURNS = """
import os, time
from pathlib import Path

def note(name):
    for word in ("begins", "ends"):
        with Path(os.environ["NOTES"]).open("a") as file:
            file.write(f"{name} {word}\\n")
        time.sleep(0.2)

@pytest.mark.parametrize("number", range(4))
def test_x(process_group, number):
    process_group(1).run(note, number)

@sc.parametrize_with_laws("samplers:built", "samplers:built_too", profile="quick", worlds="gloo",
                          select=["SC104"])
def test_y(law): law()
"""
BUILT = """
import sys

def built(length, rank, world_size):
    if (rank, world_size) == (0, 2) and "execnet" not in sys.modules:  # a rank, and no worker that simulates
        note = Path(os.environ["NOTES"])
        with note.open("a") as file:
            file.write(f"{os.getpid()} begins\\n")
        time.sleep(0.01)
        with note.open("a") as file:
            file.write(f"{os.getpid()} ends\\n")
    return Strided(length, rank, world_size)

def built_too(length, rank, world_size): return built(length, rank, world_size)
"""


@pytest.mark.slow
@pytest.mark.gloo
def test_process_groups_of_all_workers_take_turns_whoever_has_the_items(pytester):
    """Where nobody asks for loadgroup the mark ``xdist_group`` is no help; with pytest 9.2 not even there."""
    write_suite(pytester, TURNS)
    samplers = pytester.path / "samplers.py"
    samplers.write_text(samplers.read_text() + BUILT)
    done = session(pytester, "-n", "2", "--dist", "load")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "6 passed" in done.stdout
    noted = [line.split() for line in (pytester.path / "notes").read_text().splitlines()]
    begun, ended = noted[::2], noted[1::2]
    assert len(begun) > 4
    assert [(name, "ends") for name, _ in begun] == [tuple(one) for one in ended]
