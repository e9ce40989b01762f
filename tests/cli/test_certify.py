"""``certify`` and ``verify`` on the command line: what is refused, what is written, how it ends."""

from __future__ import annotations

import json
import sys
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from samplercheck.certifying.statement import SCOPE_FILE, TEST_FILE, as_text
from samplercheck.cli.verify import age_from
from samplercheck.values.errors import UsageError
from tests.cli.test_startup import loaded
from tests.support.certificates import UNEVEN, a_project, certificate, project
from tests.support.command_line import call, is_screen

if TYPE_CHECKING:
    from pathlib import Path

TABLE = """
[tool.samplercheck.targets.strided]
factory = "strided.py:Strided"
"""


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ('skip = {SC104 = "issue 12"}', "leaves laws out (SC104)"),
        ('select = ["SC1"]', "leaves laws out (SC1)"),
        ('[tool.samplercheck]\nshard = "1/2"', "shard 1/2 is a part of the cases"),
        (
            'known-failures = {SC104 = {case = "n=1,world=2,batch=1", reason = "issue 12"}}',
            "declares known failures (SC104)",
        ),
    ],
)
def test_a_configuration_that_leaves_something_out_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: str, said: str
) -> None:
    a_project(tmp_path)
    (tmp_path / "pyproject.toml").write_text(TABLE + more)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    done = call("certify", "strided")
    assert done.exit_code == 2
    assert said in " ".join(done.stderr.split())
    assert not (tmp_path / TEST_FILE).exists()


@pytest.mark.parametrize("option", ["--skip", "--select", "--baseline", "--profile", "--max-time"])
def test_there_is_no_option_to_certify_less(option: str) -> None:
    done = call("certify", "x:y", option, "SC104=reason")
    assert done.exit_code == 2
    assert "No such option" in done.stderr


def test_verifying_shows_every_check_and_ends_with_1_where_one_fails(tmp_path: Path) -> None:
    path = certificate().save(tmp_path)
    done = call("verify", str(path), "--root", str(project()), "--max-age", "9000d")
    assert done.exit_code == 1  # made by the profile quick, for these tests
    assert "REFUSED  profile          quick@2 is none of certify@2" in done.output
    assert "ok       source           2 files are those that were certified" in done.output
    assert done.output.splitlines()[-1].startswith("NOT VERIFIED: profile, ")
    assert is_screen(done.output)


def test_a_path_that_holds_no_certificate_is_refused(tmp_path: Path) -> None:
    assert call("verify", str(tmp_path / "none")).exit_code == 2
    done = call("verify", str(tmp_path))
    assert done.exit_code == 2
    assert TEST_FILE in done.stderr


def test_a_place_that_cannot_be_written_is_refused_before_anything_is_run(tmp_path: Path) -> None:
    (tmp_path / "taken").touch()
    done = call("certify", "no.such:thing", "--output", str(tmp_path / "taken"))
    assert done.exit_code == 2
    assert "cannot be written to: File exists. Name a directory." in " ".join(done.stderr.split())


def test_an_age_is_a_number_and_a_unit() -> None:
    assert age_from("12h") == timedelta(hours=12)
    assert age_from(" 90 D") == timedelta(days=90)
    assert age_from("4w") == timedelta(weeks=4)
    for text in ("", "d", "1.5d", "-1d", "1y", "1"):
        with pytest.raises(UsageError, match=r"is no age: write hours, days or weeks"):
            age_from(text)


@pytest.mark.parametrize("name", ["by_label", "by_length"])
def test_a_function_of_the_contract_is_expected_by_its_name_and_not_imported(
    tmp_path: Path, name: str
) -> None:
    scope = json.loads(certificate().scope)
    scope["predicate"]["contract"] |= {"coverage": "sampled", "frequencies": "rules:by_label"}
    for file, said in ((SCOPE_FILE, as_text(scope)), (TEST_FILE, certificate().test.decode())):
        (tmp_path / file).write_text(said)
    words = f"coverage=sampled,frequencies=rules:{name}"
    told = call("verify", str(tmp_path), "--root", str(project()), "--contract", words).output
    assert f"{'ok' if name == 'by_label' else 'REFUSED':8} contract" in told


def test_verifying_imports_nothing_heavy(tmp_path: Path) -> None:
    certificate().save(tmp_path)
    code, packages, _ = loaded("verify", str(tmp_path), "--root", str(project()))
    assert code == 1
    assert not {"torch", "numpy", "hypothesis", "pytest", "rich"} & packages


@pytest.mark.slow
@pytest.mark.gloo
def test_a_sound_sampler_is_certified_verified_found_again_and_refused_when_it_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = a_project(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    done = call("certify", "strided.py:Strided", "--output", "out")
    assert done.exit_code == 0, done.output
    assert "CERTIFIED   strided.py:Strided by certify@2" in done.output
    assert is_screen(done.output)
    assert "\ncontract    Contract()\n" in done.output
    unasked = call("verify", "out").output
    assert unasked.endswith("\nAny target and contract would have done: name yours (--target, --contract).\n")
    again = call("verify", "out", "--rerun", "--target", "strided.py:Strided")
    assert again.exit_code == 0, again.output
    assert "ok       rerun            the same results" in again.output
    source.write_text(source.read_text() + "\n# changed\n")
    assert call("verify", "out").exit_code == 1
    assert {path.name for path in (tmp_path / "out").iterdir()} == {TEST_FILE, SCOPE_FILE, "certificate.html"}


@pytest.mark.slow
@pytest.mark.gloo
def test_a_broken_sampler_is_shown_as_a_run_shows_it_and_gets_no_certificate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    a_project(tmp_path, UNEVEN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    done = call("certify", "strided.py:Strided")
    assert done.exit_code == 1
    assert "BROKEN  Ranks take different numbers of steps" in done.output
    said = " ".join(done.stderr.split())
    assert "no certificate: SC104 and SC105 are broken. " in said
    assert said.endswith("as they could not change that (samplercheck run strided.py:Strided tries them).")
    assert "modest" not in done.stderr
    meant = ("--contract", "tail=drop")
    others = call("certify", "strided.py:Strided", *meant)
    said = " ".join(others.stderr.split())
    assert "no certificate: SC104 and SC105 are broken. " in said
    assert "run strided.py:Strided --contract tail=drop tries them)" in said
    assert not (tmp_path / TEST_FILE).exists()
