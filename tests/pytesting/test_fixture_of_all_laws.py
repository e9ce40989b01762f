"""The fixture ``samplercheck``: all laws in one test, with the settings of the session."""

from __future__ import annotations

import pytest

from tests.pytesting.suites import reports_in, write_suite

QUIET = ("-p", "no:cacheprovider")


def run(pytester: pytest.Pytester, text: str, *words: str) -> pytest.RunResult:
    write_suite(pytester, f"import samplers\n\n{text}")
    return pytester.runpytest_inprocess(*QUIET, *words)


def test_a_sound_target_passes_and_its_report_is_among_the_session_s(pytester):
    result = run(
        pytester,
        "def test_x(samplercheck):\n"
        "    report = samplercheck.run(samplers.Strided, profile='quick', select=['SC104'])\n"
        "    assert report.ok\n"
        "    report.raise_for_failures()",
        "--samplercheck-report",
        "out",
    )
    result.assert_outcomes(passed=1)
    assert [one["outcome"] for one in reports_in(pytester.path / "out").values()] == ["holds"]
    result.stdout.fnmatch_lines(["*= samplercheck =*", "HOLDS *Strided in samplers.py*", "1 hold *"])


@pytest.mark.thorough
def test_a_broken_one_shows_the_line_and_the_block_and_no_frame_of_the_kit(pytester):
    result = run(
        pytester,
        "def test_x(samplercheck):\n"
        "    samplercheck.run(samplers.uneven, profile='quick', select=['SC104']).raise_for_failures()",
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [">   *.run(samplers.uneven*", "E *SC104 equal-steps*", "test_laws.py:*: LawBroken"]
    )
    result.stdout.no_fnmatch_line("*report.py:*")
    assert [path.suffix for path in (pytester.path / ".samplercheck").rglob("*.json")] == [".json"]


@pytest.mark.thorough
def test_the_session_s_settings_hold_where_the_test_says_none(pytester, monkeypatch):
    pytester.makepyprojecttoml("[tool.samplercheck]\nprofile = 'quick'\nseed = 3\n")
    monkeypatch.setenv("SAMPLERCHECK_WORLDS", "simulated")
    result = run(
        pytester,
        "def test_usual(samplercheck):\n"
        "    report = samplercheck.run(samplers.Strided, select=['SC104'])\n"
        "    assert (report.profile, report.seed) == ('quick@2', 3)\n"
        "def test_own(samplercheck):\n"
        "    report = samplercheck.run(samplers.Strided, select=['SC104'], seed=4)\n"
        "    assert (report.profile, report.seed) == ('quick@2', 4)",
    )
    result.assert_outcomes(passed=2)


@pytest.mark.thorough
def test_the_command_line_goes_before_the_test(pytester):
    result = run(
        pytester,
        "def test_x(samplercheck):\n"
        "    report = samplercheck.run(samplers.Strided, profile='nightly', seed=4, select=['SC104'])\n"
        "    assert (report.profile, report.seed) == ('quick@2', 5)",
        "--samplercheck-profile=quick",
        "--samplercheck-seed=5",
    )
    result.assert_outcomes(passed=1)


@pytest.mark.thorough
def test_settings_of_worlds_and_a_store_are_the_test_s_where_it_gives_them(pytester, monkeypatch):
    monkeypatch.setenv("SAMPLERCHECK_MAX_RANKS", "3")
    result = run(
        pytester,
        "def test_x(samplercheck, tmp_path):\n"
        "    from samplercheck.storage.store import Store\n"
        "    store = Store(tmp_path / 'mine')\n"
        "    with pytest.raises(sc.errors.UsageError, match='max_rank'):\n"
        "        samplercheck.run(samplers.uneven, profile='quick', world_settings={'max_rank': 2})\n"
        "    samplercheck.run(samplers.uneven, profile='quick', select=['SC104'], store=store)\n"
        "    assert list(store.failures.glob('*.json'))",
    )
    result.assert_outcomes(passed=1)
    assert not (pytester.path / ".samplercheck").exists()


@pytest.mark.slow
def test_a_run_may_be_isolated(pytester):
    result = run(
        pytester,
        "def test_x(samplercheck):\n"
        "    report = samplercheck.run(samplers.uneven, profile='quick', select=['SC104'], isolate=True)\n"
        "    assert not report.ok",
    )
    result.assert_outcomes(passed=1)
    assert [path.suffix for path in (pytester.path / ".samplercheck").rglob("*.json")] == [".json"]
