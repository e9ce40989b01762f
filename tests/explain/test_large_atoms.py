"""Large atoms: sizes that no small case has, near those of cases that fail, written as a person would."""

from __future__ import annotations

from samplercheck import Case
from samplercheck.explain.large_atoms import MOST_LARGE, large_atoms
from samplercheck.explain.table import Table

AROUND = [Case(length=2**16 + 1, world_size=2, seed=2**31), Case(length=330, world_size=11, batch_size=34)]
CASES = [*AROUND, *(Case(length=n, world_size=10, batch_size=33) for n in range(300, 500))]
TABLE = Table(CASES)
ATOMS = {atom.text: atom for atom in large_atoms(TABLE, AROUND)}


def test_sizes_are_cut_where_a_case_fails():
    assert ATOMS.keys() >= {
        "length > 2**16",
        "length <= 2**16",
        "world_size >= 11",
        "batch_size < 34",
        "ceil(length / world_size) >= 30",
        "seed >= 2**31",
        "seed < 2**32",
        "length % 64 == 0",
        "length is a power of two",
    }
    assert sum(text.startswith("length >= ") for text in ATOMS) <= MOST_LARGE


def test_what_an_atom_says_is_so_of_the_cases_in_which_it_holds():
    for text, means in {
        "length > 2**16": lambda c: c.length > 2**16,
        "world_size >= 11": lambda c: c.world_size >= 11,
        "ceil(length / world_size) >= 30": lambda c: -(-c.length // c.world_size) >= 30,
        "seed >= 2**31": lambda c: c.seed >= 2**31,
        "seed + epochs > 2**31": lambda c: c.seed + c.epochs > 2**31,
        "length is no power of two": lambda c: c.length.bit_count() != 1,
        "length % 64 == 0": lambda c: c.length % 64 == 0,
    }.items():
        assert ATOMS[text].holds(TABLE).tolist() == [means(case) for case in CASES], text


def test_of_many_values_those_near_the_failing_cases_are_taken():
    cuts = sorted(int(text.split()[-1]) for text in ATOMS if text.startswith("length >= "))
    assert 330 in cuts
    assert max(cuts) < 400


def test_batches_and_worlds_just_beyond_the_small_scope_are_cut_too():
    around = [Case(length=30, world_size=6, batch_size=8)]
    found = {atom.text for atom in large_atoms(Table([*around, Case(length=30, world_size=3)]), around)}
    assert found >= {"world_size >= 6", "world_size < 6", "batch_size >= 8", "batch_size < 8"}
    assert "world_size >= 3" not in found  # asked of small cases already
