"""What becomes of items: passed, failed with the block, skipped with a reason; and what is run for it."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from tests.plugin.suites import reports_in, write_suite

QUIET = ("-p", "no:cacheprovider", "-rfEs")


def suite(pytester: pytest.Pytester, target: str, laws: str = "['SC104']", more: str = "") -> None:
    text = f"@sc.parametrize_with_laws('samplers:{target}', profile='quick', select={laws}{more})"
    write_suite(pytester, f"{text}\ndef test_x(law):\n    law()")


def test_a_law_that_holds_passes(pytester):
    suite(pytester, "Strided", "['SC102', 'SC104']")
    pytester.runpytest_inprocess(*QUIET).assert_outcomes(passed=2)


def test_a_broken_law_fails_with_its_block_and_no_traceback(pytester):
    suite(pytester, "uneven", "['SC102', 'SC104']")
    result = pytester.runpytest_inprocess(*QUIET)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*_ test_x[[]SC104-equal-steps[]] _*",
            "BROKEN  SC104 equal-steps * would hang * case *",
            "*  smallest case * length=1 world_size=2 batch_size=1",
            "    rank 1  -   <- left the epoch",
            "*more     samplercheck explain SC104",
            "*= samplercheck =*",
            "samplers:uneven",
            "1 hold   1 BROKEN *",
            "BROKEN  SC104 equal-steps*",
            "FAILED test_laws.py::test_x[[]SC104-equal-steps[]] - Failed: BROKEN  SC104*",
        ]
    )
    for trace in ("Traceback", "samplercheck/", ">       law()", "test_laws.py:7"):
        result.stdout.no_fnmatch_line(f"*{trace}*")


def test_the_full_trace_shows_the_test_and_what_was_tried(pytester):
    suite(pytester, "uneven")
    result = pytester.runpytest_inprocess(*QUIET, "--samplercheck-full-trace")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([">       law()", "E*BROKEN  SC104*", "E*tried     everything in length 0-*"])


@pytest.mark.slow
@pytest.mark.parametrize(("profile", "outcome"), [("quick", "skipped"), ("strict", "failed")])
def test_what_is_undecided_is_a_skip_and_under_strict_a_failure(pytester, profile, outcome):
    suite(pytester, "raising")
    words = ("--samplercheck-profile", profile, "--samplercheck-world", "simulated")
    result = pytester.runpytest_inprocess(*QUIET, *words)
    result.assert_outcomes(**{outcome: 1})
    result.stdout.fnmatch_lines(["*SC104-equal-steps is unknown: *the target failed on rank 1 (SC001)*"])


def test_what_does_not_apply_and_what_is_skipped_say_why(pytester):
    suite(pytester, "Strided", "['SC404', 'SC104', 'SC102']", ", skip={'SC102': 'issue 12'}")
    result = pytester.runpytest_inprocess(*QUIET)
    result.assert_outcomes(passed=1, skipped=2)
    result.stdout.fnmatch_lines_random(
        ["*SC404-replicas-alike does not apply to this contract*", "*SC102-complete: issue 12"]
    )


def test_a_test_that_never_calls_law_fails(pytester):
    write_suite(
        pytester,
        "@sc.parametrize_with_laws('samplers:Strided', profile='quick', select=['SC104'])\n"
        "def test_x(law): pass",
    )
    result = pytester.runpytest_inprocess(*QUIET)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*has passed and never judged SC104-equal-steps: call ``law()``*"])


def test_a_law_called_in_a_fixture_counts_and_one_called_elsewhere_is_refused(pytester):
    write_suite(
        pytester,
        """
        kept = []

        @pytest.fixture
        def judged(law):
            law()
            kept.append(law)

        @sc.parametrize_with_laws("samplers:Strided", profile="quick", select=["SC104"])
        def test_x(judged, law): pass

        def test_y():
            with pytest.raises(sc.SamplerCheckError, match="called outside of its test"):
                kept[0]()
        """.replace("\n        ", "\n"),
    )
    pytester.runpytest_inprocess(*QUIET).assert_outcomes(passed=2)


def test_a_target_that_cannot_be_found_fails_each_item_with_the_nearest(pytester):
    suite(pytester, "Stridet", "['SC102', 'SC104']")
    result = pytester.runpytest_inprocess(*QUIET)
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["SC104-equal-steps was not judged: *Did you mean 'Strided'*"])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_the_items_of_a_function_share_one_search(pytester, monkeypatch):
    notes = pytester.path / "notes"
    monkeypatch.setenv("NOTES", str(notes))
    suite(pytester, "noted", "['SC102']")
    pytester.runpytest_inprocess(*QUIET).assert_outcomes(passed=1)
    alone = len(notes.read_text().splitlines())
    notes.unlink()
    suite(pytester, "noted", "['SC102', 'SC104', 'SC105']")  # all read the experiment of SC102
    pytester.runpytest_inprocess(*QUIET).assert_outcomes(passed=3)
    assert len(notes.read_text().splitlines()) == alone


def test_selecting_an_item_runs_only_the_experiments_that_its_law_reads(pytester, monkeypatch):
    notes = pytester.path / "notes"
    monkeypatch.setenv("NOTES", str(notes))
    suite(pytester, "noted", "['SC104', 'SC501', 'SC502', 'SC503']")
    pytester.runpytest_inprocess(*QUIET, "-k", "SC104").assert_outcomes(passed=1, deselected=3)
    one = len(notes.read_text().splitlines())
    notes.unlink()
    pytester.runpytest_inprocess(*QUIET).assert_outcomes(passed=4)
    assert len(notes.read_text().splitlines()) > one


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
def test_warnings_of_a_target_are_no_errors_in_a_run_that_several_items_share(pytester):
    suite(pytester, "warning", "['SC001', 'SC104']")
    result = pytester.runpytest_inprocess(*QUIET, "-W", "error")
    result.assert_outcomes(passed=2, warnings=1)


def test_the_verdict_does_not_depend_on_the_order_of_the_items(pytester):
    suite(pytester, "uneven", "['SC102', 'SC104', 'SC105']")
    forwards = pytester.runpytest_inprocess(*QUIET)
    pytester.makeconftest("def pytest_collection_modifyitems(items): items.reverse()")
    backwards = pytester.runpytest_inprocess(*QUIET)
    failed = [sorted(line for line in run.outlines if "FAILED" in line) for run in (forwards, backwards)]
    assert failed[0] == failed[1]
    assert len(failed[0]) == 2


def test_junit_has_the_law_the_case_and_the_seed_of_each_item(pytester):
    suite(pytester, "uneven", "['SC102', 'SC104']")
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
    assert {name: one["outcome"] for name, one in reports.items()} == {
        "samplers-Strided": "holds",
        "samplers-uneven": "broken",
    }


def test_failing_cases_are_stored_and_tried_first_the_next_time(pytester):
    suite(pytester, "uneven")
    pytester.runpytest_inprocess(*QUIET)
    assert len(list((pytester.path / ".samplercheck" / "failures").glob("*.json"))) == 1
    pytester.runpytest_inprocess(*QUIET, "--samplercheck-report", "out")
    phases = [one["phase"] for one in reports_in(pytester.path / "out")["samplers-uneven"]["tried"]]
    assert phases[0] == "stored"


def test_cases_are_stored_at_the_root_from_wherever_the_session_is_run(pytester, monkeypatch):
    suite(pytester, "uneven")
    pytester.makeini("[pytest]")
    monkeypatch.chdir(pytester.mkdir("below"))
    pytester.runpytest_inprocess(*QUIET, "../test_laws.py").assert_outcomes(failed=1)
    assert (pytester.path / ".samplercheck" / "failures").is_dir()
    assert list((pytester.path / "below").iterdir()) == []


@pytest.mark.slow
@pytest.mark.gloo
def test_process_groups_take_part_unless_their_mark_is_deselected(pytester):
    """With the mark left out, no process is started for the laws that remain."""
    suite(pytester, "uneven", "['SC104', 'SC902']", ", worlds=['simulated', 'gloo']")
    phases = {}
    for name, words in {"both": (), "without": ("-m", "not samplercheck_pg")}.items():
        result = pytester.runpytest_subprocess(*QUIET, *words, "--samplercheck-report", name)
        result.assert_outcomes(failed=1 if words else 2, deselected=1 if words else 0)
        report = reports_in(pytester.path / name)["samplers-uneven"]
        phases[name] = {one["phase"] for one in report["tried"]}
    assert "gloo" in phases["both"]
    assert "gloo" not in phases["without"]


@pytest.mark.slow
def test_ctrl_c_in_a_run_ends_the_session_with_what_was_known(pytester):
    suite(pytester, "interrupting", "['SC102', 'SC104']")
    result = pytester.runpytest_subprocess(*QUIET, "--samplercheck-report", "out", timeout=120)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["INTERRUPTED: what follows is what was known until then."])
    assert reports_in(pytester.path / "out")["samplers-interrupting"]["interrupted"] is True


@pytest.mark.slow
def test_a_target_that_cannot_be_interrupted_is_named_before_the_process_ends(pytester):
    suite(pytester, "stubborn")
    result = pytester.runpytest_subprocess(*QUIET, timeout=120)
    assert result.ret == 4
    result.stderr.fnmatch_lines(["samplercheck: rank 0 hung in build*case n=3,world=1,*pytest ends with*"])


def test_a_session_in_which_nothing_is_run_has_no_section_and_writes_nothing(pytester):
    suite(pytester, "Strided")
    pytester.makepyfile(test_other="def test_y(): pass")
    result = pytester.runpytest_inprocess(*QUIET, "-k", "test_y")
    result.assert_outcomes(passed=1, deselected=1)
    result.stdout.no_fnmatch_line("*= samplercheck =*")
    assert not (pytester.path / ".samplercheck").exists()


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
    assert tried["large"] == 200
    assert not (pytester.path / ".hypothesis").exists()
