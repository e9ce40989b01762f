"""The two statements are in-toto's, follow from one another, and are told apart by every field."""

from __future__ import annotations

import hashlib
import json

from samplercheck.certifying.form import SCOPE_TYPE, STATEMENT_TYPE, TEST_TYPE
from samplercheck.certifying.statement import (
    SCOPE_FILE,
    as_text,
    digest_of_scope,
    result_digest,
    result_statement,
    scope_statement,
)
from tests.support.certificates import NOW, certificate, examined, project

TEST = json.loads(certificate().test)
SCOPE = json.loads(certificate().scope)

# The shape that in-toto's specification gives: Statement v1, and the predicate test-result v0.1.
STATEMENT_FIELDS = {"_type", "subject", "predicateType", "predicate"}
RESULT_FIELDS = {"result", "configuration", "url", "passedTests", "warnedTests", "failedTests"}
DESCRIPTOR_FIELDS = {
    "name", "uri", "digest", "content", "downloadLocation", "mediaType", "annotations"
}  # fmt: skip


def is_descriptor(one):
    digest = one.get("digest", {})
    identified = bool({"uri", "digest", "content"} & one.keys())
    hexadecimal = all(int(value, 16) >= 0 and len(value) == 64 for value in digest.values())
    return one.keys() <= DESCRIPTOR_FIELDS and identified and hexadecimal


def test_both_are_in_toto_statements_about_the_files_of_the_source():
    for statement, kind in ((TEST, TEST_TYPE), (SCOPE, SCOPE_TYPE)):
        assert statement.keys() == STATEMENT_FIELDS
        assert statement["_type"] == STATEMENT_TYPE == "https://in-toto.io/Statement/v1"
        assert statement["predicateType"] == kind
        assert [one["name"] for one in statement["subject"]] == ["dealing.py", "strided.py"]
        assert all(is_descriptor(one) and "digest" in one for one in statement["subject"])
        for one in statement["subject"]:
            content = (project() / one["name"]).read_bytes()
            assert one["digest"]["sha256"] == hashlib.sha256(content).hexdigest()


def test_the_test_result_has_the_fields_of_its_specification():
    predicate = TEST["predicate"]
    assert TEST_TYPE == "https://in-toto.io/attestation/test-result/v0.1"
    assert predicate.keys() <= RESULT_FIELDS
    assert predicate["result"] == "PASSED"
    assert predicate["failedTests"] == []
    assert all(map(is_descriptor, predicate["configuration"]))


def test_passed_are_the_laws_that_hold_and_warned_those_with_advice():
    held = [one for one in SCOPE["predicate"]["laws"] if one["outcome"] == "holds"]
    assert TEST["predicate"]["passedTests"] == [f"{one['code']}-{one['name']}" for one in held]
    advised = {**SCOPE, "predicate": {**SCOPE["predicate"], "laws": [{**held[0], "advice": "mind this"}]}}
    said = result_statement(advised)["predicate"]
    assert (said["passedTests"], said["warnedTests"]) == ([], [f"{held[0]['code']}-{held[0]['name']}"])


def test_what_only_a_strict_run_counts_is_listed_by_name_with_its_case():
    given = examined()
    results = [dict(one) for one in given["report"]["results"]]
    first = next(one for one in results if one["outcome"] == "holds")
    seen = {"found": "built without an error: rank=-1", "hint": "", "grade": "strict"}
    first |= {"advice": seen, "advised": {"id": "bpbwtxmy", "violations": [seen]}}
    scope = scope_statement({**given, "report": {**given["report"], "results": results}}, NOW)
    (law,) = [one for one in scope["predicate"]["laws"] if one["advice"]]
    assert law["code"] == first["code"]
    assert law["advice"] == "Built without an error: rank=-1. Case bpbwtxmy, strict."
    assert result_statement(scope)["predicate"]["warnedTests"] == [f"{first['code']}-{first['name']}"]
    assert "strict" not in scope["predicate"]
    assert scope_statement({**given, "strict": True}, NOW)["predicate"]["strict"] is True


def test_the_test_statement_names_the_scope_by_its_digest_and_the_kit_with_its_profile():
    scope, kit = TEST["predicate"]["configuration"]
    assert scope["name"] == SCOPE_FILE
    assert scope["digest"]["sha256"] == hashlib.sha256(certificate().scope).hexdigest()
    assert kit["annotations"] == {"profile": "quick@2"}


def test_the_scope_counts_for_every_law_what_it_judged_and_which_faults_it_saw():
    laws = {one["code"]: one for one in SCOPE["predicate"]["laws"]}
    small, *_ = SCOPE["predicate"]["phases"]
    assert small["phase"] == "small scope"
    assert laws["SC104"]["judged"] == sum(
        one["judged"].get("SC104", 0) for one in SCOPE["predicate"]["phases"]
    )
    assert 0 < small["judged"]["SC104"] < small["cases"]
    assert (laws["SC104"]["planted"], laws["SC104"]["caught"]) == (1, 1)
    assert len(laws["SC104"]["version"]) == 64
    assert laws["SC104"]["version"] != laws["SC102"]["version"]


def test_the_same_examination_gives_the_same_bytes():
    assert as_text(scope_statement(examined(), NOW)).encode() == certificate().scope


def test_the_digest_covers_every_field_but_itself():
    whole = digest_of_scope(SCOPE)
    assert whole == SCOPE["predicate"]["digest"]
    assert digest_of_scope({**SCOPE, "predicate": {**SCOPE["predicate"], "digest": "0" * 64}}) == whole
    for name in SCOPE["predicate"].keys() - {"digest"}:
        assert digest_of_scope({**SCOPE, "predicate": {**SCOPE["predicate"], name: "other"}}) != whole
    assert digest_of_scope({**SCOPE, "subject": SCOPE["subject"][:1]}) != whole


def test_the_result_digest_leaves_out_what_depends_on_the_machine_alone():
    here = result_digest(examined())
    in_gloo = {"phase": "gloo", "scope": "in gloo", "cases": 9, "is_complete": True, "judged": {"SC901": 9}}
    assert result_digest(examined(phases=[*examined()["phases"], in_gloo])) == here
    fewer = [{**examined()["phases"][0], "cases": 3}]
    assert result_digest(examined(phases=fewer)) != here
