"""What is run for the items of a session, what of it is stored and written, and what they say of it."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from tests.pytesting.suites import reports_in, write_laws, write_suite

QUIET = ("-p", "no:cacheprovider", "-rfEs")


def test_the_items_of_a_function_share_one_search(pytester, monkeypatch):
    notes = pytester.path / "notes"
    monkeypatch.setenv("NOTES", str(notes))
    write_laws(pytester, "noted", "['SC102']")
    pytester.runpytest_inprocess(*QUIET).assert_outcomes(passed=1)
    alone = len(notes.read_text().splitlines())
    notes.unlink()
    write_laws(pytester, "noted", "['SC102', 'SC104', 'SC105']")  # all read the experiment of SC102
    pytester.runpytest_inprocess(*QUIET).assert_outcomes(passed=3)
    assert len(notes.read_text().splitlines()) == alone


@pytest.mark.thorough
def test_selecting_an_item_runs_only_the_experiments_that_its_law_reads(pytester, monkeypatch):
    notes = pytester.path / "notes"
    monkeypatch.setenv("NOTES", str(notes))
    write_laws(pytester, "noted", "['SC104', 'SC501', 'SC502', 'SC503']")
    pytester.runpytest_inprocess(*QUIET, "-k", "SC104").assert_outcomes(passed=1, deselected=3)
    one = len(notes.read_text().splitlines())
    notes.unlink()
    pytester.runpytest_inprocess(*QUIET).assert_outcomes(passed=4)
    assert len(notes.read_text().splitlines()) > one


@pytest.mark.thorough
def test_items_that_differ_in_more_than_the_law_do_not_share_a_run(pytester):
    """What surrounds the law may change what the target does."""
    write_suite(
        pytester,
        """
        import samplers
        uneven = samplers.uneven

        @pytest.mark.parametrize("sampler", [samplers.Strided, uneven])
        @sc.parametrize_with_laws("samplers:uneven", profile="quick", select=["SC104"])
        def test_x(law, sampler, monkeypatch):
            monkeypatch.setattr(samplers, "uneven", lambda length, rank, world_size: sampler(
                length, rank, world_size
            ))
            law()
        """.replace("\n        ", "\n"),
    )
    pytester.runpytest_inprocess(*QUIET).assert_outcomes(passed=1, failed=1)


@pytest.mark.filterwarnings("ignore:old")
@pytest.mark.thorough
def test_warnings_of_a_target_are_no_errors_in_a_run_that_several_items_share(pytester):
    write_laws(pytester, "warning", "['SC001', 'SC104']")
    result = pytester.runpytest_inprocess(*QUIET, "-W", "error")
    result.assert_outcomes(passed=2, warnings=1)


@pytest.mark.thorough
def test_the_verdict_does_not_depend_on_the_order_of_the_items(pytester):
    write_laws(pytester, "uneven", "['SC102', 'SC104', 'SC105']")
    forwards = pytester.runpytest_inprocess(*QUIET)
    pytester.makeconftest("def pytest_collection_modifyitems(items): items.reverse()")
    backwards = pytester.runpytest_inprocess(*QUIET)
    failed = [sorted(line for line in run.outlines if "FAILED" in line) for run in (forwards, backwards)]
    assert failed[0] == failed[1]
    assert len(failed[0]) == 2


@pytest.mark.thorough
def test_junit_has_the_law_the_case_and_the_seed_of_each_item(pytester):
    write_laws(pytester, "uneven", "['SC102', 'SC104']")
    pytester.runpytest_inprocess(*QUIET, "--junitxml", "junit.xml", "--samplercheck-seed", "7")
    items = {}
    for case in ET.parse(pytester.path / "junit.xml").iter("testcase"):
        items[case.get("name")] = {one.get("name"): one.get("value") for one in case.iter("property")}
    base = {"target": "samplers:uneven", "profile": "quick", "seed": "7"}
    base = {f"samplercheck.{name}": value for name, value in base.items()}
    assert items["test_x[SC102-complete]"] == {"samplercheck.law": "SC102", **base}
    broken = items["test_x[SC104-equal-steps]"]
    assert len(broken.pop("samplercheck.case")) == 8
    assert broken == {"samplercheck.law": "SC104", **base}


@pytest.mark.thorough
def test_reports_are_written_where_they_are_asked_for(pytester):
    write_suite(
        pytester,
        "targets = 'samplers:uneven', 'samplers:Strided'\n"
        "@sc.parametrize_with_laws(*targets, profile='quick', select=['SC104'])\n"
        "def test_x(law): law()",
    )
    result = pytester.runpytest_inprocess(*QUIET, "--samplercheck-report", "out")
    result.assert_outcomes(passed=1, failed=1)
    reports = reports_in(pytester.path / "out")
    assert {one.name for one in (pytester.path / "out").glob("*.*")} > {"junit.xml", "index.html"}
    assert {name: one["outcome"] for name, one in reports.items()} == {
        "samplers-Strided": "holds",
        "samplers-uneven": "broken",
    }


@pytest.mark.thorough
def test_failing_cases_are_stored_and_tried_first_the_next_time(pytester):
    write_laws(pytester, "uneven")
    pytester.runpytest_inprocess(*QUIET)
    assert len(list((pytester.path / ".samplercheck" / "failures").glob("*.json"))) == 1
    pytester.runpytest_inprocess(*QUIET, "--samplercheck-report", "out")
    phases = [one["phase"] for one in reports_in(pytester.path / "out")["samplers-uneven"]["tried"]]
    assert phases[0] == "stored"


@pytest.mark.thorough
def test_cases_are_stored_at_the_root_from_wherever_the_session_is_run(pytester, monkeypatch):
    write_laws(pytester, "uneven")
    pytester.makeini("[pytest]")
    monkeypatch.chdir(pytester.mkdir("below"))
    pytester.runpytest_inprocess(*QUIET, "../test_laws.py").assert_outcomes(failed=1)
    assert (pytester.path / ".samplercheck" / "failures").is_dir()
    assert list((pytester.path / "below").iterdir()) == []


@pytest.mark.slow
@pytest.mark.gloo
def test_process_groups_take_part_unless_their_mark_is_deselected(pytester):
    """With the mark left out, no process is started for the laws that remain."""
    write_laws(pytester, "uneven", "['SC104', 'SC902']", ", worlds=['simulated', 'gloo']")
    phases = {}
    for name, words in {"both": (), "without": ("-m", "not samplercheck_pg")}.items():
        result = pytester.runpytest_subprocess(*QUIET, *words, "--samplercheck-report", name)
        result.assert_outcomes(failed=1 if words else 2, deselected=1 if words else 0)
        report = reports_in(pytester.path / name)["samplers-uneven"]
        phases[name] = {one["phase"] for one in report["tried"]}
    assert "gloo" in phases["both"]
    assert "gloo" not in phases["without"]


def test_a_session_in_which_nothing_is_run_has_no_section_and_writes_nothing(pytester):
    write_laws(pytester, "Strided")
    pytester.makepyfile(test_other="def test_y(): pass")
    result = pytester.runpytest_inprocess(*QUIET, "-k", "test_y")
    result.assert_outcomes(passed=1, deselected=1)
    result.stdout.no_fnmatch_line("*= samplercheck =*")
    assert not (pytester.path / ".samplercheck").exists()


@pytest.mark.thorough
def test_hypothesis_profiles_of_users_change_nothing_and_stay(pytester):
    write_suite(
        pytester,
        """
        from hypothesis import settings

        settings.register_profile("mine", max_examples=1, derandomize=True, deadline=1)
        settings.load_profile("mine")

        @sc.parametrize_with_laws("samplers:uneven", profile="standard", worlds="simulated", select=["SC104"])
        def test_x(law): law()

        def test_y():
            assert settings().max_examples == 1
            assert settings.default.deadline.total_seconds() == 0.001
        """.replace("\n        ", "\n"),
    )
    result = pytester.runpytest_inprocess(*QUIET, "-p", "no:randomly", "--samplercheck-report", "out")
    result.assert_outcomes(passed=1, failed=1)
    report = reports_in(pytester.path / "out")["samplers-uneven"]
    tried = {one["phase"]: one["cases"] for one in report["tried"]}
    assert tried["large"] == 112
    assert not (pytester.path / ".hypothesis").exists()
