"""Atoms: each says of a case what its text says; what tells no cases apart is left out."""

from __future__ import annotations

from math import ceil

from hypothesis import given
from hypothesis import strategies as st

from samplercheck import Case
from samplercheck.explain.atoms import Table, atoms_of

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
    names |= {"shuffle": case.shuffle, "drop_last": case.drop_last, "budget": case.option("budget")}
    lengths = [i % 7 + 1 for i in range(case.length)]
    return bool(eval(text, {"ceil": ceil}, {**names, "lengths": lengths or [0]}))


@given(st.lists(cases, min_size=1, max_size=20))
def test_an_atom_is_true_of_the_cases_that_its_text_is_true_of(drawn):
    given_lengths = [
        case.but(features={"lengths": [i % 7 + 1 for i in range(case.length)]}) for case in drawn
    ]
    table = Table(given_lengths, ["lengths"])
    for atom in atoms_of(table):
        assert atom.holds(table).tolist() == [said(atom.text, case) for case in given_lengths], atom.text


def test_an_atom_that_is_true_of_all_cases_or_of_none_is_left_out():
    texts = {atom.text for atom in atoms_of(Table([Case(length=n, world_size=2) for n in range(5)]))}
    assert "length % world_size != 0" in texts
    assert not [text for text in texts if "shuffle" in text or "batch_size" in text or "seed" in text]


def test_plain_atoms_come_first():
    atoms = atoms_of(Table([Case(length=n, shuffle=n % 3 == 0) for n in range(9)]))
    assert [atom.cost for atom in atoms] == sorted(atom.cost for atom in atoms)
