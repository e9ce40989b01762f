"""Laws without a test file: what ``pytest --samplercheck`` makes of pyproject.toml."""

from __future__ import annotations

import pytest

from tests.pytesting.suites import SAMPLERS, lines_of
from tests.support.command_line import call

QUIET = ("-p", "no:cacheprovider", "-p", "no:randomly")
SOUND = "[tool.samplercheck.targets.sound]\nfactory = 'samplers:Strided'\nselect = ['SC102', 'SC104']\n"
BROKEN = "[tool.samplercheck.targets.broken]\nfactory = 'samplers.py:uneven'\nselect = ['SC104']\n"
QUICK = "[tool.samplercheck]\nprofile = 'quick'\n"


def session(pytester: pytest.Pytester, text: str, *words: str) -> pytest.RunResult:
    pytester.makepyfile(samplers=SAMPLERS)
    pytester.makepyprojecttoml(text)
    return pytester.runpytest_inprocess(*QUIET, *words)


@pytest.mark.thorough
def test_the_laws_of_all_targets_are_items_beside_those_of_files(pytester):
    pytester.makepyfile(test_own="def test_own(): pass")
    result = session(pytester, QUICK + SOUND + BROKEN, "--samplercheck", "-v")
    assert lines_of(result) == [
        "samplercheck::broken[SC104-equal-steps] FAILED",
        "samplercheck::sound[SC102-complete] PASSED",
        "samplercheck::sound[SC104-equal-steps] PASSED",
        "test_own.py::test_own PASSED",
    ]
    result.stdout.fnmatch_lines(["collecting * collected 4 items", "BROKEN  SC104 equal-steps*case *"])
    result.stdout.no_fnmatch_line("*_configured.py*")


def test_without_the_option_nothing_is_collected_and_nothing_read(pytester):
    pytester.makepyfile(test_own="def test_own(): pass")
    session(pytester, "[tool.samplercheck]\nprofil = 'misspelt'\n").assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (("--samplercheck", "-k", "SC102"), ["samplercheck::sound[SC102-complete] PASSED"]),
        (("samplercheck::sound[SC104-equal-steps]",), ["samplercheck::sound[SC104-equal-steps] PASSED"]),
        (
            ("samplercheck::sound", "test_own.py"),
            [
                "samplercheck::sound[SC102-complete] PASSED",
                "samplercheck::sound[SC104-equal-steps] PASSED",
                "test_own.py::test_own PASSED",
            ],
        ),
    ],
)
def test_items_are_selected_by_name(pytester, words, names):
    pytester.makepyfile(test_own="def test_own(): pass")
    assert lines_of(session(pytester, QUICK + SOUND + BROKEN, "-v", *words)) == names


@pytest.mark.thorough
def test_those_that_failed_can_be_run_again_alone(pytester):
    session(pytester, QUICK + SOUND + BROKEN)
    words = ("-p", "no:randomly", "--samplercheck", "-v")
    pytester.runpytest_inprocess(*words).assert_outcomes(passed=2, failed=1)
    result = pytester.runpytest_inprocess(*words, "--lf")
    assert lines_of(result) == ["samplercheck::broken[SC104-equal-steps] FAILED"]


@pytest.mark.slow
def test_workers_of_xdist_run_what_is_selected(pytester):
    pytest.importorskip("xdist")
    pytester.makepyfile(test_own="def test_own(): pass")
    pytester.makepyfile(samplers=SAMPLERS)
    pytester.makepyprojecttoml(QUICK + SOUND + BROKEN)
    result = pytester.runpytest_subprocess(*QUIET, "-n", "2", "samplercheck::sound")
    result.assert_outcomes(passed=2)


@pytest.mark.thorough
@pytest.mark.parametrize("words", [(), ("--rootdir=.",)], ids=["plain", "rootdir"])
def test_it_works_from_a_directory_below(pytester, monkeypatch, words):
    pytester.makepyfile(samplers=SAMPLERS)
    pytester.makepyprojecttoml(QUICK + SOUND + BROKEN)
    monkeypatch.chdir(pytester.mkdir("below"))
    result = pytester.runpytest_inprocess(*QUIET, "--samplercheck", "-v", *words)
    result.assert_outcomes(passed=2, failed=1)
    assert (pytester.path / ".samplercheck" / "failures").is_dir()
    assert list((pytester.path / "below").iterdir()) == []


@pytest.mark.thorough
def test_skips_known_failures_contracts_and_axes_are_those_of_the_table(pytester):
    text = (
        QUICK
        + "[tool.samplercheck.targets.uneven]\nfactory = 'samplers:uneven'\ncontract = 'evaluation'\n"
        + "select = ['SC102', 'SC104']\nskip = { SC102 = 'issue 12' }\n"
        + "[tool.samplercheck.targets.known]\nfactory = 'samplers:uneven'\nselect = ['SC104']\n"
        + "known-failures = { SC104 = { case = 'n=1,world=2', reason = 'issue 13' } }\n"
        + "[tool.samplercheck.targets.blocks]\nfactory = 'samplers:blocks'\nselect = ['SC104']\n"
        + "axes = { bucket = [1, 2] }\n"
    )
    result = session(pytester, text, "--samplercheck", "-v", "-rsx")
    assert lines_of(result) == [
        "samplercheck::blocks[SC104-equal-steps] PASSED",
        "samplercheck::known[SC104-equal-steps] XFAIL",
        "samplercheck::uneven[SC102-complete] SKIPPED",
        "samplercheck::uneven[SC104-equal-steps] PASSED",
    ]
    result.stdout.fnmatch_lines(["SKIPPED*pyproject.toml: SC102-complete: issue 12", "XFAIL*issue 13*"])


def test_a_known_failure_that_passes_is_stale(pytester):
    known = "known-failures = { SC104 = { case = 'n=1,world=2', reason = 'issue 13' } }\n"
    result = session(pytester, QUICK + SOUND + known, "samplercheck::sound[SC104-equal-steps]")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["STALE  SC104-equal-steps holds in this case now*"])


def test_a_law_that_does_not_apply_is_skipped_where_it_is_written(pytester):
    text = QUICK + "[tool.samplercheck.targets.x]\nfactory = 'samplers:Strided'\nselect = ['SC107']\n"
    result = session(pytester, text, "--samplercheck", "-rs")
    result.stdout.fnmatch_lines(["SKIPPED*pyproject.toml*: SC107-repeats-exactly does not apply*"])


class TestPrecedence:
    TEXT = QUICK + SOUND + "seed = 4\n"

    def seeds_and_profiles(self, pytester, *words):
        result = session(pytester, self.TEXT, "samplercheck::sound[SC104-equal-steps]", *words)
        return next(line for line in result.outlines if "    seed " in line).split("  ")[0:3:2]

    def test_the_target_goes_before_the_project(self, pytester):
        assert self.seeds_and_profiles(pytester) == ["quick@2", "seed 4"]

    def test_the_environment_goes_before_the_target(self, pytester, monkeypatch):
        monkeypatch.setenv("SAMPLERCHECK_SEED", "5")
        assert self.seeds_and_profiles(pytester) == ["quick@2", "seed 5"]

    def test_the_command_line_goes_before_the_environment(self, pytester, monkeypatch):
        monkeypatch.setenv("SAMPLERCHECK_SEED", "5")
        assert self.seeds_and_profiles(pytester, "--samplercheck-seed=6") == ["quick@2", "seed 6"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[tool.samplercheck]\nprofil = 'quick'\n", "*'profil' does not exist. Did you mean 'profile'?*"),
        (
            "[tool.samplercheck.targets.x]\nfactory = 3\n",
            "*targets.x: factory is 3 and has to name the target*",
        ),
    ],
)
def test_a_mistake_in_the_file_ends_the_session_before_it_begins(pytester, text, said):
    result = session(pytester, text, "--samplercheck")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {said}"])


@pytest.mark.parametrize(
    ("text", "words", "said"),
    [
        (SOUND.replace("SC102", "SC012"), ("--samplercheck",), "*targets.sound: *'SC012'*"),
        ("[tool.samplercheck]\n", ("--samplercheck",), "*No target is configured*"),
        (SOUND, ("samplercheck::sond",), "*No item is called 'sond'. Did you mean 'sound'?*"),
    ],
)
def test_what_cannot_be_collected_is_an_error_without_our_traceback(pytester, text, words, said):
    result = session(pytester, text, *words)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*ERROR collecting*", said])
    result.stdout.no_fnmatch_line("*Traceback*")


def test_a_mistake_in_the_file_is_also_told_where_only_decorators_are_used(pytester):
    pytester.makepyfile(
        test_laws="import samplercheck as sc\n"
        "@sc.parametrize_with_laws('samplers:Strided', select=['SC104'])\ndef test_x(law): law()"
    )
    result = session(pytester, "[tool.samplercheck]\nprofil = 'quick'\n")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*Did you mean 'profile'?*"])


@pytest.mark.thorough
def test_what_init_writes_can_be_run_in_both_ways(pytester):
    pytester.makepyfile(samplers=SAMPLERS)
    assert call("init", "samplers.py:Strided").exit_code == 0
    result = pytester.runpytest_inprocess(
        *QUIET, "--samplercheck", "--samplercheck-profile=quick", "-k", "SC104", "-v"
    )
    assert lines_of(result) == [
        "samplercheck::strided[SC104-equal-steps] PASSED",
        "tests/test_strided.py::test_strided[SC104-equal-steps] PASSED",
    ]
