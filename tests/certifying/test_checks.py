"""A certificate is believed as it was made and for the source it was made of, and else refused."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from samplercheck.certifying.certificate import Certificate
from samplercheck.certifying.checks import compare_rerun, reason_not_to_import
from samplercheck.certifying.statement import as_text, digest_of_scope, result_statement
from tests.support.certificates import NOW, certificate, examined, project, verified

HERE = certificate()


def refused(found):
    return [one.name for one in found.refused]


def forged(change):
    """A certificate whose scope says something else, all its digests made again."""
    scope = json.loads(HERE.scope)
    change(scope)
    scope["predicate"]["digest"] = digest_of_scope(scope)
    return Certificate(as_text(result_statement(scope)).encode(), as_text(scope).encode())


def test_what_was_certified_is_verified():
    found = verified()
    assert found.ok
    assert refused(found) == []
    assert {one.name for one in found.checks} >= {"digest", "source", "profile", "versions", "age", "tree"}


@pytest.mark.parametrize("part", ["test", "scope"])
@settings(max_examples=40)
@given(st.data())
def test_a_certificate_with_any_byte_changed_is_refused(part, data):
    content = getattr(HERE, part)
    at = data.draw(st.integers(0, len(content) - 1), label="at")
    byte = data.draw(st.integers(0, 255).filter(lambda value: value != content[at]), label="byte")
    tampered = content[:at] + bytes([byte]) + content[at + 1 :]
    assert not verified(replace(HERE, **{part: tampered})).ok


@pytest.mark.parametrize("part", ["test", "scope"])
@settings(max_examples=40)
@given(st.data())
def test_a_certificate_with_a_piece_cut_out_or_put_in_is_refused(part, data):
    content = getattr(HERE, part)
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(content))] * 2)))
    piece = data.draw(st.sampled_from([b"", b" ", b"\n", content[start:end] * 2]))
    tampered = content[:start] + piece + content[end:]
    if tampered != content:
        assert not verified(replace(HERE, **{part: tampered})).ok


@pytest.mark.parametrize("name", sorted(json.loads(HERE.scope)["predicate"]))
def test_a_field_that_is_removed_is_refused(name):
    scope = json.loads(HERE.scope)
    del scope["predicate"][name]
    assert not verified(replace(HERE, scope=as_text(scope).encode())).ok


@settings(max_examples=25)
@given(st.data())
def test_a_source_with_any_byte_changed_is_refused(tmp_path_factory, data):
    root = tmp_path_factory.mktemp("tree") / "copy"
    shutil.copytree(project(), root)
    name = data.draw(st.sampled_from([one["name"] for one in HERE.subjects]))
    content = bytearray((root / name).read_bytes())
    at = data.draw(st.integers(0, len(content) - 1))
    content[at] ^= data.draw(st.integers(1, 255))
    assert verified(root=root).ok
    (root / name).write_bytes(content)
    found = verified(root=root)
    assert refused(found) == ["source"]
    assert found.refused[0].says == f"{name} has changed"


def test_a_source_that_is_gone_or_elsewhere_is_refused(tmp_path):
    found = verified(root=tmp_path)
    assert [one.says for one in found.refused] == [
        f"{name} is not in {tmp_path}" for name in ("dealing.py", "strided.py")
    ]
    outside = forged(lambda scope: scope["subject"][0].update(name="../../etc/passwd"))
    assert "leads out of" in verified(outside).refused[0].says


def test_an_old_certificate_and_one_of_the_future_are_refused():
    later = NOW + timedelta(days=91)
    assert verified(now=later).ok
    assert refused(verified(now=later, max_age=timedelta(days=90))) == ["age"]
    assert verified(now=later, max_age=timedelta(days=92)).ok
    assert refused(verified(now=NOW - timedelta(days=1))) == ["age"]


def test_other_versions_are_refused_unless_told():
    then = HERE.predicate["versions"]
    other = {**then, "torch": "9.9"}
    found = verified(version_of=other.get)
    assert refused(found) == ["versions"]
    assert "torch" in found.refused[0].says
    assert "here 9.9" in found.refused[0].says
    assert verified(version_of=other.get, any_versions=True).ok
    patch = f"{then['python'].rpartition('.')[0]}.99"
    assert verified(version_of={**then, "python": patch, "platform": "Plan 9"}.get).ok


def test_a_profile_that_makes_no_certificates_is_refused():
    assert refused(verified(profiles=("certify@2",))) == ["profile"]


def test_a_certificate_that_lists_a_fault_as_unseen_is_refused_even_when_its_digests_agree():
    def blind(scope):
        scope["predicate"]["sensitivity"]["faults"][0]["seen_by"] = []

    def none(scope):
        scope["predicate"]["sensitivity"] = {"planted": 0, "caught": 0, "faults": [], "without_effect": []}

    for change in (blind, none):
        assert refused(verified(forged(change))) == ["sensitivity"]


def test_a_test_statement_of_another_certificate_is_refused():
    other = forged(lambda scope: scope["predicate"].update(made="2027-01-30T12:00:00Z"))
    assert verified(other).ok
    assert refused(verified(replace(HERE, scope=other.scope))) == ["digest"]


def test_a_dirty_tree_is_told():
    def dirty(scope):
        scope["predicate"]["tree"] = {"commit": "ab" * 20, "changed": ["strided.py"]}

    tree = next(one for one in verified(forged(dirty)).checks if one.name == "tree")
    assert tree.ok
    assert tree.says == "commit abababababab, with changes in strided.py"


def test_a_rerun_must_hold_and_count_the_same():
    said = HERE.predicate
    assert compare_rerun(said, examined(), []).ok
    assert not compare_rerun(said, examined(), [("broken", "SC104 is broken")]).ok
    other = {**examined()["sensitivity"], "caught": 0}
    assert not compare_rerun(said, examined(sensitivity=other), []).ok


@pytest.mark.parametrize("place", ["os:system", "strided_:Strided", "/etc/strided.py:x", "../strided.py:x"])
def test_nothing_is_imported_that_the_certificate_is_not_about(place):
    scope = json.loads(HERE.scope)
    assert reason_not_to_import(scope, project()) == ""
    module = {**scope, "predicate": {**scope["predicate"], "place": "strided:x"}}
    assert reason_not_to_import(module, project()) == ""
    assert reason_not_to_import({**scope, "predicate": {**scope["predicate"], "place": place}}, project())
