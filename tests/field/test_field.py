"""Real samplers, under the contracts that their documentation states, break what was triaged and no more.

Run by pytest where their packages are installed; slow. FINDINGS.md says of every broken law, and of advice of
the grade strict, whether it is a defect or a limitation.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import samplercheck as sc
from samplercheck import Outcome
from tests.field._field import Sampler, module
from tests.field.targets import FIELD
from tests.support.complaints import complaints

if TYPE_CHECKING:
    from samplercheck.values.report import LawResult

ROW = re.compile(r"^\| (\S+) \| (SC\d+) \| (harm|strict) \| (defect|limitation) \| ", re.MULTILINE)
VERDICT = re.compile(r"^\| [^|]+ \| (\S+) \| (?:broken|holds|new) \| (.+) \|$", re.MULTILINE)
CODE = re.compile(r"\bSC\d+\b")
PLAIN = Path(__file__).with_name("plain")
BROKEN = [one for one in FIELD if one.broken]
SEEN = json.loads(Path(__file__).with_name("seen.json").read_text(encoding="utf-8"))
"""By sampler and law the smallest case of each defect, as the trophy case of the site shows it."""


def import_or_skip(one: Sampler) -> None:
    try:
        module(one.place)
    except (ImportError, RuntimeError, sc.SamplerCheckError) as error:  # torchvision of another build
        pytest.skip(f"{one.place} cannot be imported ({error}): docs/field.md says what to install")


def script_of(one: Sampler) -> Path:
    return PLAIN / f"{one.name.replace('-', '_')}.py"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # they are the packages' own
@pytest.mark.parametrize("one", [pytest.param(one, id=one.name) for one in FIELD])
def test_a_real_sampler_breaks_what_was_triaged(one: Sampler) -> None:
    import_or_skip(one)
    report = sc.run(one.target, profile="quick", select=one.only)
    broken = {result.code for result in report.results if result.outcome is Outcome.BROKEN}
    said = complaints(report)
    assert broken == set(one.broken), said
    assert set(said) == broken  # nothing is left undecided
    assert {result.code for result in report.results if _is_strict(result)} == set(one.strict)
    smallest = {result.code: result.failure.case.token for result in report.failures if result.failure}
    for code, seen in SEEN.get(one.name, {}).items():
        assert smallest[code] == seen["case"]


def _is_strict(result: LawResult) -> bool:
    return result.advised is not None and result.advised.violation.grade == "strict"


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("one", [pytest.param(one, id=one.name) for one in BROKEN])
def test_a_plain_script_shows_each_harm_without_this_kit(one: Sampler) -> None:
    import_or_skip(one)
    command = [sys.executable, "-W", "ignore", str(script_of(one))]
    shown = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (shown.returncode, "Traceback" in shown.stderr) == (1, False), shown.stdout + shown.stderr


def test_every_harm_has_a_line_in_a_plain_script() -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in PLAIN.glob("*.py")}
    shown = {path: set(CODE.findall(text)) for path, text in texts.items()}
    assert shown == {script_of(one): set(one.broken) for one in BROKEN}
    assert [path for path, text in texts.items() if "samplercheck" in text] == []


def test_every_defect_has_its_smallest_case_for_the_trophies() -> None:
    rows = ROW.findall(Path(__file__).with_name("FINDINGS.md").read_text(encoding="utf-8"))
    defects = {(name, code) for name, code, grade, kind in rows if (grade, kind) == ("harm", "defect")}
    assert defects <= {(name, code) for name, laws in SEEN.items() for code in laws}


def test_every_broken_law_is_triaged_once() -> None:
    rows = ROW.findall(Path(__file__).with_name("FINDINGS.md").read_text(encoding="utf-8"))
    triaged = [(name, code, grade) for name, code, grade, _ in rows]
    harm = [(one.name, code, "harm") for one in FIELD for code in one.broken]
    strict = [(one.name, code, "strict") for one in FIELD for code in one.strict]
    assert sorted(triaged) == sorted(harm + strict)


def test_the_page_has_the_verdict_of_each() -> None:
    page = Path(__file__).parents[2] / "docs" / "field.md"
    said = VERDICT.findall(page.read_text(encoding="utf-8"))
    assert sorted(said) == sorted((one.name, verdict_of(one)) for one in FIELD)


def verdict_of(one: Sampler) -> str:
    if one.broken:
        return f"harm: {' '.join(one.broken)}"
    return f"holds; advice: {' '.join(one.strict)}" if one.strict else "holds"


def test_the_real_samplers_have_names_of_their_own() -> None:
    assert len({one.name for one in FIELD}) == len(FIELD) >= 100
    assert len({one.place.partition(".")[0].partition("/")[0] for one in FIELD}) >= 30
