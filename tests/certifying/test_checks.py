"""A certificate is believed as it was made and for the source it was made of, and else refused."""

from __future__ import annotations

import json
import shutil
import time
from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import samplercheck as sc
from samplercheck.certifying.certificate import Certificate
from samplercheck.certifying.certify import compare_rerun, reason_not_to_rerun
from samplercheck.certifying.checks import NOT_BESIDE
from samplercheck.certifying.expected import Expectation, known_faults, known_laws
from samplercheck.certifying.faults import KNOWN_FAULTS
from samplercheck.certifying.statement import as_text, digest_of_scope, result_digest, result_statement
from samplercheck.laws import ALL_LAWS
from samplercheck.targets.provenance import source_digest
from samplercheck.values.errors import UsageError
from tests.support.certificates import NOW, certificate, examined, project, verified

HERE = certificate()


def refused(found):
    return [one.name for one in found.refused]


def forged(change):
    """A certificate whose scope says something else, all its digests made again."""
    scope = json.loads(HERE.scope)
    said, before = scope["predicate"], scope["predicate"]["result_digest"]
    change(scope)
    if said["result_digest"] == before:
        said["result_digest"] = result_digest({**said, "report": {"results": said["laws"]}})
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
    for lost in ({}, {"home": "elsewhere"}):
        homeless = forged(lambda scope, lost=lost: scope["subject"][0].update(annotations=lost))
        assert verified(homeless).refused[0].says == "dealing.py is of no home"


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


def in_phase(name, **words):
    return lambda said: next(one for one in said["phases"] if one["phase"] == name).update(words)


def of_law(code, **words):
    return lambda said: next(one for one in said["laws"] if one["code"] == code).update(words)


UNWRITTEN = {
    "a scope that no phase 'epochs' has": in_phase("epochs", scope="all epochs, proven"),
    "a scope that no phase 'frontier' has": in_phase("frontier", scope=""),
    "a scope that no phase 'proof' has": in_phase("epochs", phase="proof"),
    "a small scope that says no grid": in_phase("small scope", scope="everything in length 0-8; all, proven"),
    "1,000,000 cases of epochs where its scope has": in_phase("epochs", cases=1_000_000),
    "the digest of other results": lambda said: said.update(result_digest="0" * 64),
    "another bound on false alarms": lambda said: said.update(false_alarm_bound=1e-30),
    "a target that yields 'proofs'": lambda said: said.update(kind="proofs"),
    "a reason why SC102 holds": of_law("SC102", reason="it was proven"),
    "seen in no case": lambda said: said["sensitivity"]["faults"][0].update(case="any"),
    "planted in no case": lambda said: said["sensitivity"]["faults"][0].update(cases=0),
}


@pytest.mark.parametrize("says", UNWRITTEN)
def test_words_that_no_run_writes_are_refused_though_all_digests_agree(says):
    found = verified(forged(lambda scope: UNWRITTEN[says](scope["predicate"])))
    assert refused(found) == ["scope"]
    assert says in found.refused[0].says


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


def test_a_rerun_must_hold_and_find_all_of_it_again():
    said = json.loads(HERE.scope)
    assert compare_rerun(said, examined(), []).ok
    assert not compare_rerun(said, examined(), [("broken", "SC104 is broken")]).ok
    for changes, names in (
        ({"sensitivity": {**examined()["sensitivity"], "caught": 0}}, "sensitivity"),
        ({"contract": {**examined()["contract"], "tail": "drop"}}, "contract"),
        ({"place": "other.py:Strided"}, "place"),
        ({"axes": {"bucket": [4]}}, "axes"),
        ({"sources": [*examined()["sources"], ["more.py", "0" * 64, False]]}, "source"),
        ({"phases": examined()["phases"][:-1]}, "phases"),
        ({"versions_of_laws": dict.fromkeys(examined()["versions_of_laws"], "0" * 64)}, "laws"),
    ):
        found = compare_rerun(said, examined(**changes), [])
        assert (found.ok, found.says.rpartition("in ")[2]) == (False, names)
    elsewhere = examined(tree={"commit": "f" * 40, "changed": []})
    assert compare_rerun(said, elsewhere, []).ok


@pytest.mark.parametrize("place", ["os:system", "strided_:Strided", "/etc/strided.py:x", "../strided.py:x"])
def test_what_a_certificate_names_is_one_of_its_files(place):
    def say(where):
        return lambda scope: scope["predicate"].update(place=where)

    assert verified(forged(say("strided:Strided"))).ok
    assert refused(verified(forged(say(place)))) == ["target"]


def test_the_caller_names_what_is_run_again():
    said, named = json.loads(HERE.scope), "strided.py:Strided"
    assert f"name its target yourself, with --target {named}" in reason_not_to_rerun(said, Expectation())
    assert reason_not_to_rerun(said, Expectation(named)) == ""
    said["predicate"]["changes"]["reference"] = "evil:thing"
    assert "--contract reference=evil:thing" in reason_not_to_rerun(said, Expectation(named))
    assert reason_not_to_rerun(said, Expectation(named, {"reference": "evil:thing"})) == ""


def told(found, name):
    (check,) = [one for one in found.checks if one.name == name]
    return check.ok, check.says


def test_whether_advice_was_in_the_way_is_told():
    strict = forged(lambda scope: scope["predicate"].update(strict=True))
    assert told(verified(strict), "scope")[1].startswith("strict; seed 0; cases: ")
    assert told(verified(), "scope")[1].startswith("seed 0; cases: ")


def test_target_contract_scope_and_date_are_told():
    found = verified()
    assert told(found, "target")[1].endswith("strided.py:Strided")
    assert told(found, "contract") == (True, "the default, Contract()")
    assert "small scope" in told(found, "scope")[1]
    assert told(found, "scope")[1].startswith("seed 0; cases: ")
    assert told(found, "age")[1].startswith("made 2027-01-31T12:00:00Z, 0 days ago")


@pytest.mark.parametrize(
    ("text", "ok"), [("strided.py:Strided", True), ("strided.py:Other", False), ("other:Strided", False)]
)
def test_it_is_about_the_target_that_is_expected(text, ok):
    found = verified(expected=Expectation(target=text))
    assert told(found, "target")[0] is ok
    here = project() / "strided.py"
    assert verified(expected=Expectation(target=f"{here}:Strided")).ok
    for other in (f"{here}:Other", f"{here.with_name('other.py')}:Strided"):
        assert not told(verified(expected=Expectation(target=other)), "target")[0]


def test_a_name_that_looks_like_another_place_is_not_what_was_certified():
    other = forged(lambda scope: scope["predicate"].update(target="strided.py:Other"))
    assert not told(verified(other, expected=Expectation(target="strided.py:Other")), "target")[0]
    named = forged(lambda scope: scope["predicate"].update(target="mine"))
    assert told(verified(named, expected=Expectation(target="mine")), "target")[0]


class Scaled:
    """Frequencies that depend on the object that has them."""

    def of(self, length, features):
        return [1] * length


@pytest.mark.parametrize("unnamed", [lambda *_: [1], Scaled().of, partial(Scaled().of)])
def test_a_function_whose_name_others_may_have_tells_no_certificates_apart(unnamed):
    contract = sc.Contract(coverage="sampled", frequencies=unnamed)
    with pytest.raises(UsageError, match="others may have that name, too"):
        Expectation.of(None, contract)
    named = sc.Contract(coverage="sampled", frequencies=Scaled.of)
    assert Expectation.of(None, named) == Expectation(contract=named.to_dict())
    assert named.to_dict()["frequencies"] == f"{__name__}:Scaled.of"
    assert Expectation.of("x:y", None) == Expectation("x:y")


def test_it_is_about_the_contract_that_is_expected():
    assert verified(expected=Expectation(contract=sc.Contract().to_dict())).ok
    other = verified(expected=Expectation(contract=sc.Contract(tail="drop").to_dict()))
    assert told(other, "contract") == (False, "the default, Contract(), and not Contract(tail='drop')")


def scope_with(what, change):
    def make(scope):
        scope["predicate"][what] = change(scope["predicate"][what])

    return make


def without(key, value):
    return lambda many: [one for one in many if one[key] != value]


def with_one(key, value, **changes):
    return lambda many: [{**one, **changes} if one[key] == value else one for one in many]


GRID = "everything in length 0-2, world 1-5, 3 epochs"


@pytest.mark.parametrize(
    ("change", "name", "said"),
    [
        (scope_with("laws", without("code", "SC104")), "laws", "not judged: SC104"),
        (scope_with("laws", with_one("code", "SC104", version="0" * 64)), "laws", "by other code: SC104"),
        (scope_with("laws", with_one("code", "SC104", judged=0)), "laws", "said to hold in no case: SC104"),
        (scope_with("laws", with_one("code", "SC104", code="SC999")), "laws", "unknown here: SC999"),
        (
            scope_with("laws", with_one("code", "SC104", statement="Nothing.")),
            "laws",
            "in other words than here: SC104",
        ),
        (
            scope_with("laws", with_one("code", "SC104", outcome="not_applicable")),
            "laws",
            "said not to apply, and judged: SC104",
        ),
        (scope_with("laws", lambda laws: [*laws, laws[0]]), "laws", "named twice: "),
        (
            scope_with("laws", lambda laws: [{**one, "outcome": "not_applicable"} for one in laws]),
            "laws",
            "no law holds",
        ),
        (scope_with("phases", without("phase", "small scope")), "scope", "no small scope"),
        (
            scope_with("phases", with_one("phase", "small scope", cases=1)),
            "scope",
            "1 cases in a small scope of ",
        ),
        (
            scope_with("phases", with_one("phase", "epochs", cases=1)),
            "scope",
            "more judged than the 1 cases of ",
        ),
        (
            scope_with("phases", with_one("phase", "small scope", scope="everything")),
            "scope",
            "a small scope that says no grid",
        ),
        (
            scope_with("phases", with_one("phase", "small scope", scope=GRID, cases=10**6)),
            "scope",
            "the small scope of another profile",
        ),
        (scope_with("phases", lambda phases: [*phases, phases[0]]), "scope", "named twice: small scope"),
        (scope_with("contract", lambda one: {**one, "foo": 1}), "contract", "'foo' does not exist"),
        (scope_with("contract", lambda one: {**one, "tail": "x"}), "contract", "tail='x' is not a choice"),
        (scope_with("contract", lambda one: {**one, "frequencies": "x"}), "contract", "is none of 'weights'"),
        (scope_with("contract", lambda one: {**one, "batch_rule": 0}), "contract", "=0 is not callable"),
        (scope_with("laws", with_one("code", "SC104", caught=7)), "sensitivity", "with other faults: SC104"),
        (scope_with("changes", lambda one: {**one, "foo": 1}), "contract", "'foo' does not exist"),
        (scope_with("axes", lambda _: {"x=__import__('os')": [1]}), "contract", "is no name of a parameter"),
        (scope_with("drawn_axes", lambda _: ["class"]), "contract", "'class' is no name of a parameter"),
        (scope_with("place", lambda _: "strided.py:Other"), "target", "Other is not defined there"),
        (scope_with("phases", with_one("phase", "small scope", judged={})), "scope", "counted otherwise: "),
        (scope_with("laws", with_one("code", "SC104", planted=7)), "sensitivity", "other faults: SC104"),
    ],
)
def test_laws_and_phases_that_are_not_those_of_the_profile_are_refused(change, name, said):
    ok, says = told(verified(forged(change)), name)
    assert not ok
    assert said in says


def test_a_fault_that_is_left_out_or_aimed_elsewhere_is_refused():
    def forget(sensitivity):
        faults = sensitivity["faults"][1:]
        return {**sensitivity, "faults": faults, "planted": len(faults), "caught": len(faults)}

    def aim(sensitivity):
        first, *rest = sensitivity["faults"]
        return {**sensitivity, "faults": [{**first, "law": "SC105", "seen_by": ["SC105"]}, *rest]}

    first = HERE.predicate["sensitivity"]["faults"][0]["name"]

    def name_twice(sensitivity):
        return {**sensitivity, "without_effect": [*sensitivity["without_effect"], first]}

    for change, said in (
        (forget, "not spoken of"),
        (aim, "aimed elsewhere"),
        (name_twice, "named twice"),
    ):
        ok, says = told(verified(forged(scope_with("sensitivity", change))), "sensitivity")
        assert (ok, f"faults {said}: {first}" in says) == (False, True)
        assert verified(forged(scope_with("sensitivity", change)), any_versions=True).ok


def test_the_profile_certify_has_drawn_cases_and_process_groups():
    small = forged(lambda scope: scope["predicate"].update(profile="certify@2"))
    ok, says = told(verified(small, profiles=("certify@2",)), "scope")
    assert not ok
    for said in ("0 modest cases and not 19,500", "0 large cases and not 500", "no process groups"):
        assert said in says


def test_known_faults_and_laws_are_read_as_they_are():
    assert known_faults() == {fault.name: fault.aim for fault in KNOWN_FAULTS}
    laws = {law.code: (source_digest(law.judge), law.name, law.statement) for law in ALL_LAWS}
    assert known_laws() == laws


def test_other_versions_may_have_other_laws_where_that_is_allowed():
    other = forged(scope_with("laws", with_one("code", "SC104", version="0" * 64)))
    assert not verified(other).ok
    assert verified(other, any_versions=True).ok


# What lies beside


@pytest.fixture
def a_copy(tmp_path):
    return shutil.copytree(project(), tmp_path / "copy", ignore=shutil.ignore_patterns("__pycache__"))


BESIDE = [
    "sitecustomize.py",
    "src/usercustomize.py",
    "paths.pth",
    ".hidden/paths.pth",
    "sitecustomize/__init__.py",
    "src/usercustomize/__init__.pyc",
    "sitecustomize.so",
    "torch.py",
    "numpy/__init__.py",
    "samplercheck/__init__.py",
    "random.py",
]


@pytest.mark.parametrize("name", BESIDE)
def test_what_runs_before_the_target_is_noticed(name, a_copy):
    (a_copy / name).parent.mkdir(exist_ok=True, parents=True)
    (a_copy / name).write_text("import os\n")
    said = f"{name} may run before the target and is not certified"
    assert told(verified(root=a_copy), "beside") == (False, said)


def test_what_is_pytests_or_no_code_is_told_or_passed_over(a_copy):
    assert told(verified(root=a_copy), "beside") == (True, NOT_BESIDE)
    (a_copy / "conftest.py").touch()
    (a_copy / "model.pth").write_bytes(b"PK\3\4\0weights")
    for folder in ("env", "env/lib", ".git"):
        (a_copy / folder).mkdir()
        (a_copy / folder / "sitecustomize.py").touch()
    for shadows_nothing in ("torch/data.txt", "tests/torch.py", "test/__init__.py"):
        (a_copy / shadows_nothing).parent.mkdir(exist_ok=True)
        (a_copy / shadows_nothing).touch()
    (a_copy / "env" / "pyvenv.cfg").touch()
    said = "conftest.py may change what pytest sees, and is not certified"
    assert told(verified(root=a_copy), "beside") == (True, said)


# Too much of it


def test_six_thousand_files_and_names_that_are_none_are_refused_at_once():
    def many(scope):
        first = scope["subject"][0]
        scope["subject"] += [{**first, "name": f"{number}.py"} for number in range(6_000)]

    def odd(scope):
        scope["subject"].append({**scope["subject"][0], "name": "a\0b.py"})

    started = time.monotonic()
    for change, said in ((many, "and a certificate is about 5,000 at most"), (odd, "is no name")):
        found = [one for one in verified(forged(change)).refused if one.name == "source"]
        assert [said in one.says for one in found] == [True]
    assert time.monotonic() - started < 20
