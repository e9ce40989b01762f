"""Drawing: the same seed draws the same, and users' own Hypothesis never notices."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from dataclasses import replace

import pytest
from hypothesis import Phase, configuration, settings
from hypothesis import strategies as st

import samplercheck as sc
from samplercheck.search.axes import draw
from samplercheck.search.frontier import describe_frontier
from samplercheck.search.large import draw_large_cases
from samplercheck.search.profiles import find_profile
from samplercheck.search.strategies import cases
from samplercheck.targets.target import target


def drawn(strategy, *, examples=60, seed=0):
    values = []
    draw(strategy, values.append, examples=examples, seed=seed)
    return values


def in_a_child(code, folder, **environment):
    """What a fresh interpreter in ``folder`` prints after running the code."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))  # noqa: PTH120  (no Path needed)
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": root, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert run.stderr == ""
    return run.stdout


@pytest.mark.thorough
def test_one_seed_draws_one_sequence():
    first = drawn(cases(max_length=10_000), seed=3)
    assert first == drawn(cases(max_length=10_000), seed=3)
    assert first != drawn(cases(max_length=10_000), seed=4)
    assert len(first) == 60
    assert len(set(first)) > 40


@pytest.mark.thorough
def test_no_more_is_drawn_than_there_is_or_was_asked_for():
    assert sorted(drawn(st.booleans())) == [False, True]
    assert len(drawn(st.integers(), examples=7)) == 7


@pytest.mark.thorough
def test_one_seed_draws_one_sequence_in_any_process(tmp_path):
    code = """
        from samplercheck.search.axes import draw
        from samplercheck.search.strategies import cases
        draw(cases(), lambda case: print(case.token), examples=40, seed=8)
    """
    printed = [in_a_child(code, tmp_path, PYTHONHASHSEED=number) for number in ("1", "2")]
    assert printed[0] == printed[1]
    assert len(printed[0].split()) == 40


@pytest.mark.thorough
def test_users_profiles_change_nothing_and_stay_as_they_are():
    before, expected = settings.default, drawn(cases(), seed=1)
    settings.register_profile(
        "samplercheck-test", max_examples=3, derandomize=True, phases=[Phase.explicit], deadline=1
    )
    kept = settings.get_current_profile_name()
    settings.load_profile("samplercheck-test")
    try:
        mine = settings.default
        assert drawn(cases(), seed=1) == expected
        assert settings.default is mine
        assert settings.get_current_profile_name() == "samplercheck-test"
    finally:
        settings.load_profile(kept)
    assert settings.default == before


@pytest.mark.thorough
def test_nothing_is_written_where_the_user_works(tmp_path):
    code = """
        import atexit, os, tempfile
        from hypothesis.configuration import storage_directory
        from samplercheck.search.axes import draw
        from samplercheck.search.strategies import cases
        before = storage_directory().path
        draw(cases(), lambda case: None, examples=300, seed=0)
        assert storage_directory().path == before
        print(os.listdir("."), os.listdir(tempfile.gettempdir()))
    """
    scratch, work = tmp_path / "scratch", tmp_path / "work"
    scratch.mkdir()
    work.mkdir()
    assert in_a_child(code, work, TMPDIR=str(scratch)) == "[] []\n"


def test_users_own_storage_is_put_back_even_after_an_error():
    before = _storage()

    def fail(value):
        raise ZeroDivisionError(value)

    with pytest.raises(ZeroDivisionError):
        draw(st.just(1), fail, examples=1, seed=0)
    assert _storage() == before


def _storage():
    directory = configuration.storage_directory(intent_to_write=False)
    return getattr(directory, "path", directory)  # older releases of Hypothesis return the path


def test_an_error_of_the_user_of_a_value_comes_through():
    with pytest.raises(KeyboardInterrupt):
        draw(st.just(1), lambda _: (_ for _ in ()).throw(KeyboardInterrupt), examples=1, seed=0)


def test_draws_may_stand_inside_a_property_test():
    seen = []
    draw(st.integers(0, 2), lambda _: seen.append(len(drawn(st.booleans(), examples=2))), examples=3, seed=0)
    assert set(seen) == {2}


# The large search


def large_cases(factory, *, axes=None, seed=0):
    found = []
    draw_large_cases(target(factory, axes=axes).bind(), find_profile("standard"), seed, 80, found.append)
    return found


@pytest.mark.thorough
def test_large_cases_vary_what_the_target_names_and_pin_the_rest():
    for case in large_cases(lambda length, rank, world_size: None):
        assert (case.batch_size, case.shuffle, case.drop_last, case.seed) == (1, False, False, 0)
    varied = large_cases(
        lambda length, batch_size, shuffle, drop_last, seed, bucket: None, axes={"bucket": [1, 8]}
    )
    for name in ("length", "world_size", "batch_size", "shuffle", "drop_last", "seed", "options"):
        assert len({getattr(case, name) for case in varied}) > 1


def test_large_cases_keep_to_the_profile():
    profile = find_profile("standard")
    found = large_cases(lambda length, rank, world_size, seed: None)
    assert max(case.length for case in found) > 1_000
    for case in found:
        assert case.length <= profile.large_length
        assert case.world_size <= profile.large_world
        assert case.world_size == 1 or case.length * case.world_size <= profile.large_work
    assert found == large_cases(lambda length, rank, world_size, seed: None)


def test_no_case_beside_a_whole_number_of_batches_is_longer_than_the_profile_says():
    """A certificate states that bound, and is refused where a phase went beyond it."""
    found = []
    profile = replace(find_profile("standard"), large_length=50)
    draw_large_cases(target(lambda length, rank, world_size: None).bind(), profile, 0, 2_000, found.append)
    assert max(case.length for case in found) == 50


@pytest.mark.thorough
def test_large_cases_are_stopped_somewhere_where_that_is_asked_for():
    def cases(**asked):
        found = []
        binding = target(lambda length, rank, world_size: None).bind()
        draw_large_cases(binding, find_profile("standard"), 0, 80, found.append, **asked)
        return found

    stops = [case.stop for case in cases(stops=True)]
    assert {0, 1, 2} < set(stops)
    assert max(stops) > 100
    assert all(case.stop <= case.length // case.world_size for case in cases(stops=True))
    assert {case.stop for case in cases()} == {None}


def test_the_scope_says_how_far_was_tried_and_not_how_far_might_have_been():
    sizes = ((4_000, 2, 7, 1), (100, 480, 1, 2**40))
    cases = [
        sc.Case(length=length, world_size=world, batch_size=batch, seed=seed)
        for length, world, batch, seed in sizes
    ]
    text = "length to 4,000, world to 480, both at once to world 480 with length 100, batch to 7"
    assert describe_frontier(cases) == f"{text}, seeds of 41 bits"
    assert describe_frontier(cases[:1]).endswith("batch to 7, seeds to 1")
    assert describe_frontier([]) == "nothing that fits the budget"


@pytest.mark.thorough
def test_large_cases_do_not_depend_on_the_modules_that_are_loaded(tmp_path):
    code = """
        import samplercheck as sc
        from samplercheck.search.large import draw_large_cases
        from samplercheck.search.profiles import find_profile
        binding = sc.target(lambda dataset, rank, world_size, batch_size, shuffle, seed: None).bind()
        draw_large_cases(binding, find_profile("standard"), 3, 60, lambda case: print(case.token))
    """
    numbers = "\n".join(f"N{i} = {i * 37 + 11}" for i in range(200))
    (tmp_path / "full_of_constants.py").write_text(numbers)
    plain = in_a_child(code, tmp_path)
    loaded = in_a_child(
        "import sys\nsys.path.insert(0, '.')\nimport full_of_constants\n" + textwrap.dedent(code), tmp_path
    )
    assert plain == loaded
    assert len(plain.splitlines()) == 60
