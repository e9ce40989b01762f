"""What a file can say of how a target was judged, and what of the contract no file can hold."""

from __future__ import annotations

import sys
from importlib import import_module

import pytest

import samplercheck as sc
from samplercheck.targets.provenance import Provenance, code_digest, source_digest
from samplercheck.values.batch_rules import budget


class Stricter(budget):
    """A rule of one's own."""


def own(batch, features):
    return len(batch) < 2


def strided(dataset, rank, world_size):
    return list(range(rank, len(dataset), world_size))


@pytest.mark.parametrize(
    ("rule", "contract", "lacking"),
    [
        (None, {}, ()),
        (budget("lengths", 8, padded=True), {"batch_rule": "budget(lengths,8,padded)"}, ()),
        (own, {}, ("batch_rule",)),
        (Stricter("lengths", 8), {}, ("batch_rule",)),
    ],
    ids=["none", "ready", "own", "made of a ready one"],
)
def test_a_ready_rule_is_recorded_as_its_text_and_one_of_ones_own_is_lacking(rule, contract, lacking):
    target = sc.target(strided, contract=sc.Contract(batch_rule=rule))
    provenance = Provenance(target=target, binding=target.bind())
    assert (provenance.contract, provenance.lacking) == (contract, lacking)


def test_the_digest_of_the_code_changes_with_what_the_file_imports(tmp_path, monkeypatch):
    (tmp_path / "pyproject.toml").touch()
    package = tmp_path / "pkg_of_digests"
    package.mkdir()
    for name, text in (("__init__", ""), ("inner", "X = 1"), ("adapter", "from pkg_of_digests import inner")):
        (package / f"{name}.py").write_text(f"{text}\ndef make(dataset): return [0]\n")
    monkeypatch.syspath_prepend(tmp_path)
    make = import_module("pkg_of_digests.adapter").make
    first = code_digest(make), source_digest(make)
    (package / "unrelated.py").touch()
    assert (code_digest(make), source_digest(make)) == first
    (package / "inner.py").write_text("X = 2\n")
    assert first[0] != code_digest(make) != ""
    assert source_digest(make) == first[1]


def test_code_that_cannot_be_told_apart_has_no_digest():
    assert code_digest(len) == ""


class Renamed:
    """A class that goes by another name, as some that are made for a type of element do."""

    def __init__(self, dataset, rank, world_size):
        self.mine = strided(dataset, rank, world_size)


Renamed.__name__ = Renamed.__qualname__ = "Renamed[int]("


def test_a_class_may_be_called_anything():
    target = sc.target(Renamed)
    where = Provenance(target=target, binding=target.bind()).where
    # From 3.13 on a class knows its own line; before, it is looked for by its name.
    assert (where != "") is (sys.version_info >= (3, 13))
