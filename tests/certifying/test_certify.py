"""``sc.certify`` and ``sc.verify`` as users call them."""

from __future__ import annotations

import json
import sys
from datetime import timedelta

import pytest

import samplercheck as sc
from samplercheck.certifying.certificate import Certificate
from samplercheck.certifying.certify import now
from samplercheck.certifying.statement import as_text, digest_of_scope, result_digest, result_statement
from samplercheck.values.errors import NotCertified, UsageError
from tests.support.certificates import UNEVEN, a_project, certificate, examined, project


def as_if_certified(**changes):
    """The certificate of the project, as if the profile certify had made it just now."""
    scope = json.loads(certificate().scope)
    made = now().strftime("%Y-%m-%dT%H:%M:%SZ")
    sizes = "drawn: length to 800, world to 60, both at once to world 2 with length 800"
    groups = "in gloo: every pair of values of length 0-9, world 1-4"
    drawn = [
        {"phase": name, "scope": scope_text, "cases": cases, "judged": {}}
        for name, cases, scope_text in (
            ("modest", 19_500, sizes),
            ("large", 500, sizes),
            ("gloo", 100, groups),
        )
    ]
    small, *others = scope["predicate"]["phases"]
    small |= {"scope": "everything in length 0-24, world 1-8, 4 epochs", "cases": 200}
    phases = [small, *others, *drawn]
    scope["predicate"].update(**{"profile": "certify@2", "made": made, "phases": phases, **changes})
    said = scope["predicate"]
    said["result_digest"] = result_digest({**said, "report": {"results": said["laws"]}})
    said["digest"] = digest_of_scope(scope)
    return Certificate(as_text(result_statement(scope)).encode(), as_text(scope).encode())


def test_a_certificate_is_verified_from_its_folder(tmp_path):
    as_if_certified().save(tmp_path)
    found = sc.verify(tmp_path, root=project())
    assert found.ok, found.refused
    assert "rerun" not in {one.name for one in found.checks}
    assert not sc.verify(tmp_path, root=project(), max_age=timedelta(seconds=-1)).ok


def test_the_root_is_that_of_the_working_directory(monkeypatch):
    inside = project() / "tests"
    inside.mkdir(exist_ok=True)
    monkeypatch.chdir(inside)
    assert sc.verify(as_if_certified()).ok


def test_a_rerun_judges_the_same_target_again_and_must_find_the_same():
    asked = []

    def examine(request):
        asked.append(request)
        phases = as_if_certified().predicate["phases"]
        report = {**examined()["report"], "profile": "certify@2", "target": request.target}
        return examined(report=report, phases=[{**one, "is_complete": True} for one in phases])

    how = {"rerun": True, "root": project(), "examine": examine, "target": "strided.py:Strided"}
    found = sc.verify(as_if_certified(target="strided.py:Strided"), **how)
    assert found.ok, found.refused
    assert (found.checks[-1].name, found.checks[-1].says) == ("rerun", "the same results")
    assert (asked[0].target, asked[0].profile) == (f"{project() / 'strided.py'}:Strided", "certify")
    found = sc.verify(as_if_certified(seed=3), **how)
    assert [one.says for one in found.refused] == ["every law holds, but it is not the same in seed"]


def test_what_is_refused_is_not_rerun():
    def never(request):
        raise AssertionError(request)

    assert not sc.verify(certificate(), rerun=True, root=project(), examine=never).ok
    forged = as_if_certified(place="os:system")
    assert not sc.verify(forged, rerun=True, root=project(), examine=never, target="os:system").ok
    with pytest.raises(UsageError, match=r"name its target yourself, with --target strided\.py:Strided"):
        sc.verify(as_if_certified(), rerun=True, root=project(), examine=never)
    other = sc.Contract(tail="drop")
    found = sc.verify(as_if_certified(), rerun=True, root=project(), examine=never, contract=other)
    assert [one.name for one in found.refused] == ["contract"]


def test_a_target_without_a_name_cannot_be_certified():
    with pytest.raises(UsageError, match="no text leads to it"):
        sc.certify(lambda length: [])


@pytest.mark.slow
@pytest.mark.gloo
def test_a_broken_target_is_not_certified(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    with pytest.raises(NotCertified, match=r"SC104 equal-steps is broken in case n=1,world=2,batch=1"):
        sc.certify(f"{a_project(tmp_path, UNEVEN)}:Strided")


@pytest.mark.slow
@pytest.mark.gloo
def test_the_sampler_of_torch_is_certified():
    made = sc.certify("torch.utils.data:DistributedSampler")
    predicate = made.predicate
    assert sc.verify(made).ok
    assert predicate["profile"] == "certify@2"
    cases = {one["phase"]: one["cases"] for one in predicate["phases"]}
    assert cases.pop("frontier") > 0
    assert cases.pop("wide") > 0
    assert list(cases.items()) == [
        ("small scope", 2_400),
        ("epochs", 8),
        ("frequencies", 5),
        ("modest", 19_500),
        ("large", 500),
        ("gloo", 100),
    ]
    assert predicate["sensitivity"]["caught"] == predicate["sensitivity"]["planted"] == 26
