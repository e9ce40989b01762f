"""A certificate is earned or refused with every reason, and lies in two files."""

from __future__ import annotations

import pytest

from samplercheck.certifying.certificate import Certificate, reasons_against
from samplercheck.certifying.statement import SCOPE_FILE, TEST_FILE
from samplercheck.values.errors import NotCertified, StoreError
from tests.support.certificates import NOW, certificate, examined


def with_result(code, **changes):
    report = examined()["report"]
    results = [{**one, **changes} if one["code"] == code else one for one in report["results"]]
    return examined(report={**report, "results": results})


def with_sensitivity(**changes):
    return examined(sensitivity={**examined()["sensitivity"], **changes})


def unseen(name):
    faults = [
        {**one, "seen_by": ["SC999"]} if one["name"] == name else one
        for one in examined()["sensitivity"]["faults"]
    ]
    return with_sensitivity(faults=faults)


def test_an_examination_without_a_blemish_earns_it():
    assert reasons_against(examined()) == []
    assert certificate().predicate["target"].endswith("strided.py:Strided")
    assert [one["name"] for one in certificate().subjects] == ["dealing.py", "strided.py"]


@pytest.mark.parametrize(
    ("make", "kind", "text"),
    [
        (
            lambda: with_result("SC104", outcome="broken", failure={"token": "n=1"}),
            "broken",
            "SC104 equal-steps is broken in case n=1",
        ),
        (
            lambda: with_result("SC104", outcome="unknown", reason="vacuous"),
            "undecided",
            "SC104 equal-steps is undecided: vacuous",
        ),
        (
            lambda: with_result("SC104", outcome="not_applicable", skipped="issue 1"),
            "undecided",
            "SC104 equal-steps was skipped: issue 1",
        ),
        (
            lambda: examined(report={**examined()["report"], "interrupted": True}),
            "undecided",
            "the run was interrupted",
        ),
        (
            lambda: examined(phases=[{**examined()["phases"][0], "is_complete": False}]),
            "undecided",
            "the phase 'small scope' is not complete",
        ),
        (
            lambda: unseen("drops-the-last"),
            "blind",
            "a planted fault was not seen by SC102: it loses the last step of each pass (drops-the-last)",
        ),
        (
            lambda: with_sensitivity(planted=0, caught=0, faults=[]),
            "blind",
            "no fault could be planted into it, so nothing shows that one would be seen",
        ),
    ],
)
def test_what_speaks_against_it_is_said_and_nothing_is_made(make, kind, text):
    what = make()  # not while tests are collected, which each process does for itself
    assert reasons_against(what) == [(kind, text)]
    with pytest.raises(NotCertified) as refusal:
        Certificate.of(what, NOW)
    assert f"is not certified:\n  {text}" in str(refusal.value)


def test_what_is_broken_comes_first_and_what_is_undecided_beside_it_is_no_reason():
    worse = with_result("SC104", outcome="broken", failure={"token": "n=1"})
    results = [
        {**one, "outcome": "unknown", "reason": "why"} if one["code"] == "SC001" else one
        for one in worse["report"]["results"]
    ]
    report = {**worse["report"], "results": results, "interrupted": True}
    found = reasons_against(examined(report=report))
    assert [text for _, text in found] == [
        "SC104 equal-steps is broken in case n=1",
        "the run was interrupted",
    ]


def test_files_and_certificates_are_the_same(tmp_path):
    path = certificate().save(tmp_path / "new")
    assert path == tmp_path / "new" / TEST_FILE
    for given in (path, path.parent, str(path), path.with_name(SCOPE_FILE)):
        assert Certificate.read(given) == certificate()


def test_beside_them_is_a_page_that_says_what_they_say(tmp_path):
    page = certificate().save(tmp_path).with_name("certificate.html").read_text(encoding="utf-8")
    scope = certificate().predicate
    assert f'<h1 class="target">{scope["target"]}</h1>' in page
    faults = scope["sensitivity"]
    assert f"{faults['caught']} of {faults['planted']} planted faults were detected." in page
    assert all(f"<b>{one['code']}</b>" in page for one in scope["laws"] if one["outcome"] == "holds")
    assert all(one["digest"]["sha256"] in page for one in certificate().subjects)


def test_what_is_no_certificate_is_refused_with_what_one_is(tmp_path):
    with pytest.raises(StoreError, match=r"certificate\.intoto\.json is no certificate .*: No such file"):
        Certificate.read(tmp_path)
    (tmp_path / "report.json").touch()
    with pytest.raises(StoreError, match=r"report\.json' is no certificate: name certificate\.intoto\.json"):
        Certificate.read(tmp_path / "report.json")
    certificate().save(tmp_path)
    with (tmp_path / SCOPE_FILE).open("r+b") as file:
        file.truncate(2**25)
    with pytest.raises(StoreError, match="it is larger than 16,777,216 bytes"):
        Certificate.read(tmp_path)


def test_a_place_that_cannot_be_written_is_said(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="cannot be written"):
        certificate().save(tmp_path / "file")
