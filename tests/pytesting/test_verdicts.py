"""What becomes of items: passed, failed with the block, skipped with a reason."""

from __future__ import annotations

import pytest

from tests.pytesting.suites import reports_in, write_laws, write_suite

QUIET = ("-p", "no:cacheprovider", "-rfEs")


@pytest.mark.thorough
def test_a_law_that_holds_passes(pytester):
    write_laws(pytester, "Strided", "['SC102', 'SC104']")
    pytester.runpytest_inprocess(*QUIET).assert_outcomes(passed=2)


def test_a_broken_law_fails_with_its_block_and_no_traceback(pytester):
    write_laws(pytester, "uneven", "['SC102', 'SC104']")
    result = pytester.runpytest_inprocess(*QUIET)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*_ test_x[[]SC104-equal-steps[]] _*",
            "BROKEN  SC104 equal-steps * would hang * case *",
            "*  smallest case * length=1 world_size=2 batch_size=1",
            "    rank 1  1  3  -   <- left the epoch",
            "  again               samplercheck replay cphqoxd5",
            "  on another machine  samplercheck replay *SC104[?]n=1,world=2,batch=1*",
            "  without this kit    python .samplercheck/failures/cphqoxd5.py",
            "  more                samplercheck explain SC104",
            "*= samplercheck =*",
            "BROKEN      uneven in samplers.py: *",
            "training    would hang: ranks take different numbers of steps (SC104)",
            "when        whenever length is no multiple of world_size",
            "fix         Pad the order to a multiple of world_size before dealing it out;",
            "1 hold   1 BROKEN *",
            "BROKEN  SC104 equal-steps*",
            "FAILED test_laws.py::test_x[[]SC104-equal-steps[]] - Failed: BROKEN  SC104*",
        ]
    )
    for trace in ("Traceback", "/samplercheck/", ">       law()", "test_laws.py:7"):
        result.stdout.no_fnmatch_line(f"*{trace}*")


@pytest.mark.thorough
def test_the_full_trace_shows_the_test_and_what_was_tried(pytester):
    write_laws(pytester, "uneven")
    result = pytester.runpytest_inprocess(*QUIET, "--samplercheck-full-trace")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([">       law()", "E*BROKEN  SC104*", "E*tried     everything in length 0-*"])


@pytest.mark.slow
@pytest.mark.parametrize(("profile", "outcome"), [("quick", "skipped"), ("strict", "failed")])
def test_what_is_undecided_is_a_skip_and_under_strict_a_failure(pytester, profile, outcome):
    write_laws(pytester, "raising")
    words = ("--samplercheck-profile", profile, "--samplercheck-world", "simulated")
    result = pytester.runpytest_inprocess(*QUIET, *words)
    result.assert_outcomes(**{outcome: 1})
    result.stdout.fnmatch_lines(["*SC104-equal-steps is unknown: *the target failed on rank 1 (SC001)*"])


@pytest.mark.parametrize(("words", "outcome"), [((), "passed"), (("--samplercheck-strict",), "failed")])
def test_advice_passes_and_stands_in_the_summary_and_under_strict_fails(pytester, words, outcome):
    write_laws(pytester, "Strided", "['SC003']")
    result = pytester.runpytest_inprocess(*QUIET, *words)
    result.assert_outcomes(**{outcome: 1})
    result.stdout.fnmatch_lines(["*= samplercheck =*", "* SC003 rejects-invalid-values *"])


def test_a_shard_skips_the_laws_that_it_has_no_case_for_also_under_strict(pytester):
    write_laws(pytester, "Strided", "['SC104', 'SC1002']")
    words = ("--samplercheck-shard", "1/1000", "--samplercheck-strict")
    result = pytester.runpytest_inprocess(*QUIET, *words)
    result.assert_outcomes(skipped=2)
    result.stdout.fnmatch_lines(["*SC104-equal-steps not checked: no case of this shard exercised it"])


def test_a_shard_that_means_nothing_ends_the_session(pytester, monkeypatch):
    monkeypatch.delenv("SLURM_ARRAY_TASK_ID", raising=False)
    write_laws(pytester, "Strided")
    result = pytester.runpytest_inprocess(*QUIET, "--samplercheck-shard", "auto")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*--shard auto finds no number of a job*"])


def test_under_strict_what_is_undecided_fails(pytester):
    write_laws(pytester, "raising")
    pytester.runpytest_inprocess(*QUIET, "--samplercheck-strict").assert_outcomes(failed=1)


def test_what_does_not_apply_and_what_is_skipped_say_why(pytester):
    write_laws(pytester, "Strided", "['SC404', 'SC104', 'SC102']", ", skip={'SC102': 'issue 12'}")
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
    write_laws(pytester, "Stridet", "['SC102', 'SC104']")
    result = pytester.runpytest_inprocess(*QUIET)
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["SC104-equal-steps was not judged: *Did you mean 'Strided'*"])
    result.stdout.no_fnmatch_line("*Traceback*")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_ctrl_c_in_a_run_ends_the_session_with_what_was_known(pytester, monkeypatch, name):
    monkeypatch.setenv("ENDED_BY", name)
    write_laws(pytester, "interrupting", "['SC102', 'SC104']")
    result = pytester.runpytest_subprocess(*QUIET, "--samplercheck-report", "out", timeout=120)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["INTERRUPTED: what follows is what was known until then."])
    assert reports_in(pytester.path / "out")["samplers-interrupting"]["interrupted"] is True


@pytest.mark.slow
def test_a_target_that_cannot_be_interrupted_is_named_before_the_process_ends(pytester):
    write_laws(pytester, "stubborn")
    result = pytester.runpytest_subprocess(*QUIET, timeout=120)
    assert result.ret == 4
    result.stderr.fnmatch_lines(["samplercheck: rank 0 hung in build*case n=3,world=1,*pytest ends with*"])


def test_a_marked_method_that_pytest_cannot_parametrise_is_told_and_never_passes(pytester):
    write_suite(
        pytester,
        """
        import unittest

        class TestX(unittest.TestCase):
            @sc.parametrize_with_laws("samplers:Strided", profile="quick", select=["SC104"])
            def test_x(self): pass
        """.replace("\n        ", "\n"),
    )
    result = pytester.runpytest_inprocess(*QUIET)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*test_x carries parametrize_with_laws and has no law, as methods of unit*"])


def test_where_another_plugin_fails_a_test_no_frame_of_ours_is_shown(pytester):
    pytester.makeconftest(
        """
        import pytest

        @pytest.hookimpl(wrapper=True)
        def pytest_runtest_call(item):
            yield
            raise ValueError("not clean")
        """
    )
    result = pytester.runpytest_inprocess(*QUIET, pytester.makepyfile("def test_x(): pass"))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*conftest.py:*: ValueError"])
    result.stdout.no_fnmatch_line("*pytest_plugin.py*")
