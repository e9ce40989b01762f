"""A look ends where the law that it is for is broken, and enters what the others say until then."""

from __future__ import annotations

import samplercheck as sc
from samplercheck.engine import cases_to_look_at, look, probe
from samplercheck.laws import ALL_LAWS
from samplercheck.laws.selection import find_law
from samplercheck.search.profiles import find_profile
from samplercheck.values.owed import MANY_EPOCHS
from samplercheck.worlds import open_world

CERTIFY = find_profile("certify")


def uneven(length, rank, world_size):
    return range(rank, length, world_size)


def looked_at(laws=ALL_LAWS, until="SC104"):
    binding = sc.target(uneven, contract=sc.Contract(epochs="fixed")).bind()
    with open_world("simulated") as world:
        scope = probe(world, binding, ())
        return look(
            world,
            binding,
            scope,
            laws,
            cases_to_look_at(find_law("SC104"), binding, CERTIFY, scope),
            until=until,
        )


def test_it_stops_at_the_smallest_case_that_breaks_the_law():
    ledger = looked_at()
    assert ledger.pages["SC104"].smallest.case.token == "n=1,world=2,batch=1"
    assert ledger.small[-1] == ledger.pages["SC104"].smallest.case
    assert ledger.pages["SC102"].smallest is None


def test_without_the_law_it_goes_through_all_cases():
    ledger = looked_at(laws=(find_law("SC102"),))
    assert list(ledger.pages) == ["SC102"]
    assert {case.length for case in ledger.small} == {*range(9), 24, 192}
    assert {case.epochs for case in ledger.small if case.length == 192} == {MANY_EPOCHS}
    assert {case.world_size for case in ledger.small} == {1, 2, 3}


def test_laws_that_want_cases_of_their_own_get_them():
    binding = sc.target(lambda weights, seed: [], contract=sc.Contract.weighted()).bind()
    with open_world("simulated") as world:
        scope = probe(world, binding, ())
    patient = list(cases_to_look_at(find_law("SC1001"), binding, CERTIFY, scope))
    assert {case.epochs for case in patient} == set(CERTIFY.patience)
    workers = list(cases_to_look_at(find_law("SC801"), binding, CERTIFY, scope))
    assert {case.workers for case in workers} <= {1, 2}
    assert workers
