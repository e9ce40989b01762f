"""Known failures: one case each, run alone: xfail while it fails, stale when it passes, else an error."""

from __future__ import annotations

import pytest

from samplercheck import Case, known
from samplercheck.engine.plan import Plan
from samplercheck.storage.case_file import Breach, StoredCase
from samplercheck.storage.store import Store
from tests.pytesting.suites import write_suite

QUIET = ("-p", "no:cacheprovider", "-rxfEs")
FAILING = Case(length=1, world_size=2)
HOLDING = Case(length=4, world_size=2)


def suite(pytester: pytest.Pytester, known: str, target: str = "'samplers:uneven'", more: str = "") -> None:
    write_suite(
        pytester,
        f"@sc.parametrize_with_laws({target}, profile='quick', select=['SC104'], {more}\n"
        f"                          known_failures={{'equal-steps': {known}}})\n"
        "def test_x(law):\n    law()",
    )


def test_a_case_that_fails_is_an_xfail_with_its_reason_and_nothing_is_searched(pytester, monkeypatch):
    notes = pytester.path / "notes"
    monkeypatch.setenv("NOTES", str(notes))
    suite(pytester, "sc.known('n=1,world=2,batch=1', reason='issue 12', until='2999-01-31')")
    result = pytester.runpytest_inprocess(*QUIET)
    result.assert_outcomes(xfailed=1)
    result.stdout.fnmatch_lines(
        ["XFAIL *known failure n=1,world=2,batch=1: issue 12 (until 2999-01-31)"], consecutive=True
    )
    result.stdout.no_fnmatch_line("*= samplercheck =*")
    suite(pytester, "sc.known('n=4,world=2,batch=1', reason='issue 12')", "'samplers:noted'")
    pytester.runpytest_inprocess(*QUIET).assert_outcomes(failed=1)
    assert not notes.exists()


def test_where_nothing_may_be_expected_to_fail_it_fails(pytester):
    suite(pytester, "sc.known('n=1,world=2,batch=1', reason='issue 12')")
    result = pytester.runpytest_inprocess(*QUIET, "--runxfail")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["SC104-equal-steps is broken: known failure n=1,*issue 12"])


def test_a_case_that_passes_makes_its_entry_stale(pytester):
    suite(pytester, "sc.known('n=4,world=2,batch=1', reason='issue 12')")
    result = pytester.runpytest_inprocess(*QUIET)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["STALE  SC104-equal-steps holds in this case now: *issue 12. Remove*"])


def test_of_several_entries_one_that_passes_is_enough(pytester):
    one, other = (f"sc.known('{case.token}', reason='issue 12')" for case in (FAILING, HOLDING))
    suite(pytester, f"[{one}, {other}]")
    pytester.runpytest_inprocess(*QUIET).assert_outcomes(failed=1)
    suite(pytester, f"[{one}, {one}]")
    pytester.runpytest_inprocess(*QUIET).assert_outcomes(xfailed=1)


@pytest.mark.parametrize("folder", ["known", pytest.param("failures", marks=pytest.mark.thorough)])
def test_an_id_is_looked_up_among_the_stored_cases(pytester, folder):
    searched = "@sc.parametrize_with_laws('samplers:uneven', profile='quick', select=['SC104'])"
    write_suite(pytester, f"{searched}\ndef test_x(law): law()")
    pytester.runpytest_inprocess(*QUIET).assert_outcomes(failed=1)
    store = Store(pytester.path / ".samplercheck")
    if folder == "known":
        store.failures.rename(store.known)
    suite(pytester, f"sc.known('{FAILING.id}', reason='issue 12')")
    pytester.runpytest_inprocess(*QUIET).assert_outcomes(xfailed=1)


@pytest.mark.parametrize(
    ("known", "said"),
    [
        ("sc.known('abcdefgh', reason='issue 12')", "*no case with this id is stored*abcdefgh.json*"),
        ("sc.known('n=1,world=2,batch=1', reason='r', until='2020-01-31')", "*is past its date*"),
    ],
)
def test_an_entry_that_names_nothing_or_is_past_its_date_is_an_error(pytester, known, said):
    suite(pytester, known)
    result = pytester.runpytest_inprocess(*QUIET)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([said])
    result.stdout.no_fnmatch_line("*During handling*")


def test_a_case_without_the_axes_of_its_target_is_refused(pytester):
    known = "sc.known('n=1,world=2,batch=1', reason='r')"
    suite(pytester, known, "'samplers:blocks'", "axes={'bucket': [1]},")
    result = pytester.runpytest_inprocess(*QUIET)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*does not fit samplers:blocks, whose axes are bucket*"])


def test_a_case_that_decides_nothing_is_a_skip(pytester):
    suite(pytester, "sc.known('n=1,world=2,batch=1', reason='r')", "'samplers:raising'")
    result = pytester.runpytest_inprocess(*QUIET)
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*SC104-equal-steps is unknown in this case*known failure*"])


def test_the_case_is_noted_for_junit(pytester):
    suite(pytester, "sc.known('n=1,world=2,batch=1', reason='r')")
    pytester.runpytest_inprocess(*QUIET, "--junitxml", "junit.xml")
    assert f'name="samplercheck.case" value="{FAILING.id}"' in (pytester.path / "junit.xml").read_text()


def test_where_process_groups_are_left_out_a_case_that_holds_in_simulation_is_not_called_stale(pytester):
    suite(pytester, "sc.known('n=4,world=2,batch=1', reason='r')", more="worlds=['simulated', 'gloo'],")
    result = pytester.runpytest_inprocess(*QUIET, "-m", "not samplercheck_pg")
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*it does not fail in simulation, and this session leaves *groups out*"])


def test_a_case_that_fails_only_after_others_is_run_after_them(tmp_path):
    store = Store(tmp_path)
    store.known.mkdir()
    breaches = (
        Breach("a:b", "SC104", "rank 1 left", "a:b", experiments=("epochs", "jumps"), before=("n=5",)),
        Breach("a:c", "SC104", "rank 1 left", "a:c", before=("n=7",)),
    )
    (store.known / f"{FAILING.id}.json").write_bytes(StoredCase(FAILING, breaches).encode())
    entry = known(FAILING.id, reason="issue 12")

    def asked(law, entry=entry, target="a:b"):
        plan = entry.plan_alone(Plan(target=target), law, store)
        assert (plan.cases, plan.select, plan.store) == ((FAILING,), (law,), None)
        return plan.experiments, plan.before

    assert asked("SC104") == (("epochs", "jumps"), (Case(length=5),))
    assert asked("equal-steps", target="a:c") == ((), (Case(length=7),))
    assert asked("SC104", target="elsewhere/a:b") == (("epochs", "jumps"), (Case(length=5),))
    assert asked("SC102") == ((), ())
    assert asked("SC104", known(FAILING.token, reason="issue 12")) == ((), ())
