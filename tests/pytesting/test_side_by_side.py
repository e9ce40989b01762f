"""Other plugins in the same session: each does its work, and no law is judged otherwise because of it.

Sessions in processes of their own, in which only the plugins load that a test names, but for the last
class. Where one is not installed its tests are skipped: ``pip install '.[side-by-side]'``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from importlib import metadata
from typing import TYPE_CHECKING

import pytest

from samplercheck import Case
from tests.pytesting.suites import write_suite

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

LONGEST = 240
OURS = ("-p", "samplercheck", "-p", "hypothesispytest")
LAWS = """
from hypothesis import given, settings

@sc.parametrize_with_laws("samplers:Strided", "samplers:uneven", profile="quick", select=["SC102", "SC104"],
                          worlds="simulated")
def test_x(law):
    law()

class TestKnown:
    @sc.parametrize_with_laws("samplers:uneven", profile="quick", select=["SC104"],
                              known_failures={"SC104": sc.known("n=1,world=2", reason="issue 12")})
    def test_known(self, law):
        law()

def test_run(samplercheck):
    import samplers
    assert not samplercheck.run(samplers.uneven, profile="quick", select=["SC104"]).ok

def test_ranks(simulated_world):
    assert simulated_world(2).run(len, "ab") == [2, 2]

@settings(max_examples=10, deadline=None, database=None)
@given(case=sc.strategies.cases(max_length=20))
def test_property(case):
    assert case.world_size >= 1
"""
NOTED = ("samplercheck.law", "samplercheck.seed", "samplercheck.case")
SMALLEST = Case(length=1, world_size=2).id
EXPECTED = {
    "test_x[Strided-SC102-complete]": "passed SC102 0",
    "test_x[Strided-SC104-equal-steps]": "passed SC104 0",
    "test_x[uneven-SC102-complete]": "passed SC102 0",
    "test_x[uneven-SC104-equal-steps]": f"failure SC104 0 {SMALLEST}",
    "test_known[SC104-equal-steps]": f"skipped SC104 0 {SMALLEST}",
    "test_run": "passed",
    "test_ranks": "passed",
    "test_property": "passed",
}
"""What each test of ``LAWS`` ends with whatever else is run."""

ASYNCHRONOUS = """
@pytest.mark.{mark}
async def test_waits():
    import {library}
    await {library}.sleep(0)

@pytest.mark.{mark}
@sc.parametrize_with_laws("samplers:uneven", profile="quick", select=["SC102", "SC104"])
async def test_async(law):
    law()
"""
ASYNC_EXPECTED = {
    "test_waits": "passed",
    "test_async[SC102-complete]": "passed SC102 0",
    "test_async[SC104-equal-steps]": f"failure SC104 0 {SMALLEST}",
}
SNAPSHOT = """
def test_snapshot(snapshot, samplercheck):
    import samplers
    report = samplercheck.run(samplers.Strided, profile="quick", select=["SC104"])
    assert {one.law.code: one.outcome.name for one in report.results} == snapshot
"""
SCHEMA = """
import schemathesis

api = {"openapi": "3.0.2", "info": {"title": "x", "version": "1"}, "paths": {"/n": {"get": {
    "parameters": [{"name": "n", "in": "query", "required": True, "schema": {"type": "integer"}}],
    "responses": {"200": {"description": "fine"}}}}}}

@schemathesis.openapi.from_dict(api).parametrize()
def test_api(case):
    assert case.path == "/n"
"""


def session(pytester: pytest.Pytester, plugins: tuple[str, ...], *words: str, text: str = "") -> str:
    """Run the suite with these plugins and no others; return what it said."""
    needs(*plugins)
    write_suite(pytester, LAWS + text)
    loaded = [part for name in plugins for part in ("-p", name)]
    return in_a_process(pytester.path, *OURS, *loaded, *words, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")


def needs(*plugins: str) -> None:
    there = {point.name for point in metadata.entry_points(group="pytest11")}
    for name in plugins:
        if name not in there:
            pytest.skip(f"the pytest plugin {name!r} is not installed: pip install '.[side-by-side]'")


def in_a_process(folder: Path, *words: str, **environment: str) -> str:
    here = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-v", "-rA", "--junitxml", "junit.xml", *words],
        cwd=folder,
        env={**here, "COLUMNS": "200", **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=LONGEST,
    )
    assert done.returncode in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED), done.stdout + done.stderr
    return done.stdout


def outcomes(folder: Path) -> dict[str, str]:
    """What became of each test, and what was noted of its law, seed and case, as JUnit has it."""
    found = {}
    for case in ET.parse(folder / "junit.xml").iter("testcase"):
        tags = [one.tag for one in case if one.tag in ("failure", "error", "skipped")] or ["passed"]
        noted = {one.get("name"): one.get("value") for one in case.iter("property")}
        told = [noted[name] for name in NOTED if name in noted]
        found[str(case.get("name")).partition("@")[0]] = " ".join([*tags, *map(str, told)])
    return found


class TestXdist:
    @pytest.mark.parametrize("way", ["load", "loadscope", "loadfile", "loadgroup", "worksteal"])
    def test_four_workers_say_what_one_process_says(self, pytester, way):
        said = session(pytester, ("xdist",), "-n", "4", "--dist", way)
        assert outcomes(pytester.path) == EXPECTED
        # One run for the items of each target, whichever worker has them, and one that a test carried out.
        assert (said.count("2 hold   0 BROKEN"), said.count("1 hold   1 BROKEN")) == (1, 1)

    def test_a_worker_that_ends_leaves_the_others_their_verdicts(self, pytester):
        text = "\ndef test_crash():\n    import os\n    os._exit(3)\n"
        session(pytester, ("xdist",), "-n", "2", text=text)
        assert outcomes(pytester.path) == {**EXPECTED, "test_crash": "error"}


@pytest.mark.parametrize(("seed", "workers"), [("1", ()), ("2", ("-n", "2"))], ids=["alone", "xdist"])
def test_no_random_order_and_no_seed_changes_an_outcome(pytester, seed, workers):
    plugins = ("randomly", "xdist") if workers else ("randomly",)
    session(pytester, plugins, f"--randomly-seed={seed}", *workers)
    assert outcomes(pytester.path) == EXPECTED


@pytest.mark.parametrize(
    ("plugin", "mark", "words"),
    [
        pytest.param("asyncio", "asyncio", (), id="asyncio"),
        pytest.param("asyncio", "usefixtures", ("--asyncio-mode=auto",), id="asyncio-auto"),
        pytest.param("anyio", "anyio", (), id="anyio"),
    ],
)
def test_laws_are_judged_in_coroutines_too(pytester, plugin, mark, words):
    library = "anyio" if plugin == "anyio" else "asyncio"
    backend = "\n@pytest.fixture\ndef anyio_backend(): return 'asyncio'\n"
    session(pytester, (plugin,), *words, text=backend + ASYNCHRONOUS.format(mark=mark, library=library))
    assert outcomes(pytester.path) == {**EXPECTED, **ASYNC_EXPECTED}


def test_snapshots_are_taken_and_compared(pytester):
    needs("syrupy")
    session(pytester, ("syrupy",), "--snapshot-update", text=SNAPSHOT)
    said = session(pytester, ("syrupy",), text=SNAPSHOT)
    assert outcomes(pytester.path) == {**EXPECTED, "test_snapshot": "passed"}
    assert "1 snapshot passed" in said


def test_schemathesis_keeps_its_tests_and_we_keep_ours(pytester):
    """What becomes of its own test is what becomes of it without us: not every two versions get on."""
    needs("schemathesis")
    pytester.makepyfile(test_alone=f"import pytest\n{SCHEMA}")
    alone = ("-p", "hypothesispytest", "-p", "schemathesis", "test_alone.py")
    in_a_process(pytester.path, *alone, PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")
    theirs = outcomes(pytester.path)
    assert [name.partition("[")[0] for name in theirs] == ["test_api"]
    session(pytester, ("schemathesis",), "test_laws.py", text=SCHEMA)
    assert outcomes(pytester.path) == {**EXPECTED, **theirs}


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "xdist"])
def test_coverage_sees_the_samplers_and_changes_no_outcome(pytester, workers):
    plugins = ("pytest_cov", "xdist") if workers else ("pytest_cov",)
    session(pytester, plugins, "--cov=samplers", "--cov-report=json:cov.json", *workers)
    assert outcomes(pytester.path) == EXPECTED
    seen = json.loads((pytester.path / "cov.json").read_text())["files"]["samplers.py"]
    sampler = (pytester.path / "samplers.py").read_text().split("\n")
    missed = {sampler[number - 1].strip() for number in seen["missing_lines"]}
    assert "return iter(self.mine)" not in missed
    assert "return list(range(rank, length, world_size))" not in missed
    assert "os._exit(3)" in missed


class TestAllAtOnce:
    """With every plugin that is installed, as pytest loads them."""

    @pytest.mark.parametrize(
        "words",
        [(), ("-p", "no:cacheprovider", "--import-mode=importlib")],
        ids=["plain", "importlib-without-cache"],
    )
    def test_outcomes_are_the_same(self, pytester, words):
        write_suite(pytester, LAWS)
        in_a_process(pytester.path, *words, PYTHONPATH=str(pytester.path))
        assert outcomes(pytester.path) == EXPECTED

    @pytest.mark.parametrize("words", [("--rootdir=.", "below"), ()])
    def test_a_directory_below_has_the_cases_at_the_root(self, pytester, words):
        write_suite(pytester, LAWS)
        pytester.makeini("[pytest]")
        deep = pytester.mkdir("below") / "test_deep.py"
        (pytester.path / "test_laws.py").rename(deep)
        folder = pytester.path if words else deep.parent
        in_a_process(folder, *words, PYTHONPATH=str(pytester.path))
        assert outcomes(folder) == EXPECTED
        assert (pytester.path / ".samplercheck" / "failures" / f"{SMALLEST}.json").is_file()
        assert not (deep.parent / ".samplercheck").exists()
