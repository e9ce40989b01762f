"""Atoms: each says of a case what its text says; what tells no cases apart is left out."""

from __future__ import annotations

from itertools import product
from math import ceil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samplercheck import Case
from samplercheck.explain.atom_words import say
from samplercheck.explain.atoms import atoms_of
from samplercheck.explain.own_atoms import own_atoms
from samplercheck.explain.table import Table

cases = st.builds(
    Case,
    length=st.integers(0, 40),
    world_size=st.integers(1, 9),
    batch_size=st.integers(1, 5),
    shuffle=st.booleans(),
    drop_last=st.booleans(),
    seed=st.integers(0, 2) | st.just(2**63 - 1),
    options=st.fixed_dictionaries({"budget": st.sampled_from([3, 6, 9])}),
)


def said(text, case):
    """What a reader finds who puts the case's values into the text."""
    names = {name: getattr(case, name) for name in ("length", "world_size", "batch_size", "seed")}
    names |= {
        "chunk": 4,
        "shuffle": case.shuffle,
        "drop_last": case.drop_last,
        "budget": case.option("budget"),
    }
    lengths = [i % 7 + 1 for i in range(case.length)]
    known = lengths if "set(" in text else lengths or [0]
    return bool(eval(text, {"ceil": ceil}, {**names, "lengths": known}))


@pytest.mark.thorough
@settings(deadline=None)
@given(st.lists(cases, min_size=1, max_size=20))
def test_an_atom_is_true_of_the_cases_that_its_text_is_true_of(drawn):
    given_lengths = [
        case.but(features={"lengths": [i % 7 + 1 for i in range(case.length)]}) for case in drawn
    ]
    table = Table(given_lengths, ["lengths"])
    for atom in (*atoms_of(table), *own_atoms({"chunk": 4})):
        assert atom.holds(table).tolist() == [said(atom.text, case) for case in given_lengths], atom.text


def test_an_atom_that_is_true_of_all_cases_or_of_none_is_left_out():
    texts = {atom.text for atom in atoms_of(Table([Case(length=n, world_size=2) for n in range(5)]))}
    assert "length % world_size != 0" in texts
    assert not [text for text in texts if "shuffle" in text or "batch_size" in text or "seed" in text]


def test_plain_atoms_come_first():
    atoms = atoms_of(Table([Case(length=n, shuffle=n % 3 == 0) for n in range(9)]))
    assert [atom.cost for atom in atoms] == sorted(atom.cost for atom in atoms)


BUCKETS = [
    Case(length=n, world_size=w, batch_size=b, options={"bucket": bucket, "name": name, "huge": 2**4000})
    for n, w, b, bucket, name in product(range(9), (1, 2), (1, 2), (1, 2, 4), ("a", "b"))
]


def test_whole_numbers_among_the_axes_are_reckoned_with():
    texts = {atom.text for atom in atoms_of(Table(BUCKETS))}
    assert {
        "length % bucket != 0",
        "length % (world_size * bucket) == 0",
        "length < bucket",
        "bucket >= 2",
    } <= texts
    assert {"length % (batch_size * bucket) != 0", "ceil(length / world_size) % bucket != 0"} <= texts
    assert {"name == 'a'", "bucket == 4"} <= texts
    assert not [text for text in texts if "huge" in text or "% name" in text]


def test_an_axis_with_a_zero_divides_nothing():
    texts = {
        atom.text for atom in atoms_of(Table([Case(length=n, options={"gap": n % 3}) for n in range(9)]))
    }
    assert "gap >= 1" in texts
    assert not [text for text in texts if "% gap" in text]


def test_each_value_of_a_size_can_be_asked_for():
    texts = {atom.text for atom in atoms_of(Table(BUCKETS))}
    assert {"length == 0", "length == 3", "length == 8", "world_size == 2", "batch_size == 1"} <= texts


def test_of_no_cases_every_atom_is_a_row_of_no_bits():
    labelled = [case.but(features={"labels": range(case.length)}) for case in BUCKETS]
    for atom in atoms_of(Table(labelled, ["labels"])):
        assert atom.holds(Table([], ["labels"])).tolist() == []
        assert atom.holds(Table([], ["labels"])).dtype == bool


def test_of_the_numbers_of_a_target_those_that_may_be_sizes_are_asked_for():
    asked = " ".join(atom.text for atom in own_atoms({"chunk": 4, "repeats": 1, "warm_up": 1_000}))
    for compared in ("length % chunk != 0", "world_size % chunk != 0", "chunk % world_size != 0"):
        assert compared in asked
    assert "repeats" not in asked
    assert ("length > warm_up" in asked, "world_size % warm_up" in asked) == (True, False)


def test_an_odd_number_of_ranks_and_batches_that_are_small_for_the_ranks_can_be_asked_for():
    cases = [Case(length=9, world_size=w, batch_size=b) for w, b in product(range(1, 6), range(1, 4))]
    texts = {atom.text for atom in atoms_of(Table(cases))}
    assert texts >= {"world_size % 2 != 0", "batch_size < world_size"}


def test_the_rarest_label_is_asked_for():
    rows = [(0, 0, 1), (0, 0, 1, 1), (0, 0, 0), ()]
    table = Table([Case(length=len(row), features={"labels": row}) for row in rows], ["labels"])
    holds = {atom.text: atom.holds(table).tolist() for atom in atoms_of(table)}
    assert holds["min(map(labels.count, labels), default=0) < 2"] == [True, False, False, True]
    assert holds["min(map(labels.count, labels), default=0) >= 3"] == [False, False, True, False]
    assert say("min(map(labels.count, labels), default=0) < 2").clauses == (
        "a label has fewer than 2 samples",
    )
    assert say("min(map(labels.count, labels), default=0) >= 3").clauses == (
        "each label has 3 samples or more",
    )


def test_the_rarest_label_is_compared_with_the_batch():
    cases = [Case(length=4, batch_size=b, features={"labels": (0, 0, 1, 1)}) for b in (1, 2, 3)]
    table = Table(cases, ["labels"])
    holds = {atom.text: atom.holds(table).tolist() for atom in atoms_of(table)}
    text = "min(map(labels.count, labels), default=0) < batch_size"
    assert holds[text] == [False, False, True]
    assert say(text).clauses == ("a label has fewer than batch_size samples",)


def test_what_a_large_number_of_a_target_leaves_over_is_asked_for():
    asked = {atom.text for atom in own_atoms({"block": 8192})}
    assert {"length % block != 0", "length % block == 0", "length > block"} <= asked
