"""Fixtures that call a function in every rank: ``simulated_world`` and ``process_group``."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.pytesting.suites import lines_of, write_suite

QUIET = ("-p", "no:cacheprovider")
FUNCTIONS = """
import os
import pathlib
import torch.distributed as dist
import samplers
from samplercheck.errors import RankError, UsageError, WorldError

def placed(factor):
    return dist.get_rank() * factor

def raises():
    if dist.get_rank():
        raise ValueError("no shard")
"""

LISTING = """
import sys, pytest
pytest.main(["--fixtures", "-p", "samplercheck.pytest_plugin"])
print(sorted({"torch", "numpy", "hypothesis"} & set(sys.modules)))
"""


def run(pytester: pytest.Pytester, text: str, *words: str) -> pytest.RunResult:
    write_suite(pytester, f"{FUNCTIONS}\n{text}")
    return pytester.runpytest_inprocess(*QUIET, *words)


class TestSimulatedWorld:
    def test_results_come_by_rank_and_arguments_go_along(self, pytester):
        result = run(
            pytester,
            "def test_x(simulated_world):\n    assert simulated_world(3).run(placed, factor=2) == [0, 2, 4]",
        )
        result.assert_outcomes(passed=1)

    def test_a_failure_names_the_rank_and_shows_the_user_s_lines_alone(self, pytester):
        result = run(pytester, "def test_x(simulated_world):\n    simulated_world(2).run(raises)")
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(
            [
                ">       simulated_world(2).run(raises)",
                "E *.RankError: raises failed in rank 1, which raised ValueError: no shard",
                "E           *test_laws.py:* in raises: raise ValueError(*",
            ]
        )
        result.stdout.no_fnmatch_line("*_calling.py*")
        result.stdout.no_fnmatch_line("*_fixtures.py*")

    def test_what_was_around_is_put_back(self, pytester):
        result = run(
            pytester,
            "def test_x(simulated_world):\n"
            "    before = dict(os.environ)\n"
            "    simulated_world(2).run(placed, 1)\n"
            "    assert dict(os.environ) == before\n"
            "    assert not dist.is_initialized()",
        )
        result.assert_outcomes(passed=1)

    @pytest.mark.parametrize("size", ["0", "-1", "True", "2.0", "'2'"])
    def test_a_world_has_a_whole_number_of_ranks(self, pytester, size):
        result = run(
            pytester,
            "def test_x(simulated_world):\n"
            "    with pytest.raises(UsageError, match='is no number of ranks'):\n"
            f"        simulated_world({size})",
        )
        result.assert_outcomes(passed=1)


@pytest.mark.gloo
class TestProcessGroup:
    @pytest.mark.thorough
    def test_ranks_are_processes_and_stay_for_the_whole_session(self, pytester):
        write_suite(
            pytester,
            f"{FUNCTIONS}\n"
            "SEEN = []\n"
            "@pytest.mark.parametrize('number', range(2))\n"
            "def test_x(process_group, number):\n"
            "    SEEN.append(process_group(2).run(os.getpid))\n"
            "    assert len({*SEEN[0], os.getpid()}) == 3\n"
            "    assert SEEN[-1] == SEEN[0]\n"
            "def test_size(process_group):\n"
            "    assert process_group(3, 'gloo').run(placed, 2) == [0, 2, 4]\n"
            "    pathlib.Path('pids').write_text(' '.join(map(str, SEEN[0])))\n",
        )
        pytester.runpytest_inprocess(*QUIET).assert_outcomes(passed=3)
        for pid in (pytester.path / "pids").read_text().split():
            with pytest.raises(ProcessLookupError):
                os.kill(int(pid), 0)

    @pytest.mark.thorough
    def test_a_failure_names_the_rank_and_a_hang_ends_at_its_time(self, pytester):
        result = run(
            pytester,
            "def test_raises(process_group):\n"
            "    with pytest.raises(RankError, match='rank 1, which raised ValueError') as caught:\n"
            "        process_group(2).run(raises)\n"
            "    assert caught.value.rank == 1\n"
            "def test_hangs(process_group):\n"
            "    import time\n"
            "    with pytest.raises(RankError, match='rank 0, which hung'):\n"
            "        process_group(1, timeout=1.0).run(time.sleep, 60)\n",
        )
        result.assert_outcomes(passed=2)

    def test_what_cannot_be_had_is_refused_with_the_fix(self, pytester, monkeypatch):
        monkeypatch.setenv("SAMPLERCHECK_MAX_RANKS", "2")
        result = run(
            pytester,
            "def test_backend(process_group):\n"
            "    with pytest.raises(UsageError, match=\"Did you mean 'gloo'\"):\n"
            "        process_group(2, backend='glo')\n"
            "def test_ranks(process_group):\n"
            "    with pytest.raises(WorldError, match='SAMPLERCHECK_MAX_RANKS=3'):\n"
            "        process_group(3).run(placed, 1)\n",
        )
        result.assert_outcomes(passed=2)

    def test_a_backend_that_is_not_there_skips_with_its_reason(self, pytester):
        torch = pytest.importorskip("torch")
        if torch.cuda.is_available():
            pytest.skip("nccl may be there")
        result = run(
            pytester, "def test_x(process_group):\n    process_group(2, 'nccl').run(placed, 1)", "-rs"
        )
        result.assert_outcomes(skipped=1)
        result.stdout.fnmatch_lines(["SKIPPED*nccl*"])


class TestMarks:
    TEXT = (
        "def test_groups(process_group): pass\n"
        "def test_worlds(simulated_world): pass\n"
        "@pytest.fixture\n"
        "def ours(process_group): return process_group\n"
        "def test_through_another(ours): pass\n"
    )

    def test_tests_with_process_groups_can_be_left_out(self, pytester):
        result = run(pytester, self.TEXT, "-m", "not samplercheck_pg", "-v")
        assert lines_of(result) == ["test_laws.py::test_worlds PASSED"]

    def test_they_are_one_group_for_xdist(self, pytester):
        pytest.importorskip("xdist")
        write_suite(pytester, f"{FUNCTIONS}\n{self.TEXT}")
        calls = pytester.inline_run("--collect-only", "-q", *QUIET).getcalls("pytest_collection_finish")
        session = calls[0].session
        groups = {one.name: [mark.args for mark in one.iter_markers("xdist_group")] for one in session.items}
        assert groups == {
            "test_groups": [("samplercheck-pg",)],
            "test_worlds": [],
            "test_through_another": [("samplercheck-pg",)],
        }

    def test_a_fixture_of_the_user_s_own_with_this_name_is_none_of_ours(self, pytester):
        text = "@pytest.fixture\ndef process_group(): return 3\ndef test_x(process_group): pass"
        result = run(pytester, text, "-m", "not samplercheck_pg", "-v")
        assert lines_of(result) == ["test_laws.py::test_x PASSED"]

    def test_one_that_wraps_ours_is(self, pytester):
        text = (
            "@pytest.fixture\ndef process_group(process_group): return process_group(2)\n"
            "def test_x(process_group): pass"
        )
        assert lines_of(run(pytester, text, "-m", "not samplercheck_pg", "-v")) == []


def test_listing_fixtures_imports_nothing_heavy_and_tells_what_they_are_for(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", LISTING],
        cwd=tmp_path,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.endswith("[]\n")
    for name in ("samplercheck", "simulated_world [session scope]", "process_group [session scope]"):
        assert f"\n{name} -- " in done.stdout
