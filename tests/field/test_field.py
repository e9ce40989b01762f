"""Real samplers, under the contracts that their documentation states, break what was triaged and no more.

Run by pytest where their packages are installed; slow. FINDINGS.md says of every broken law, and of advice of
the grade strict, whether it is a defect or a limitation.
"""

from __future__ import annotations

import re
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


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # they are the packages' own
@pytest.mark.parametrize("one", [pytest.param(one, id=one.name) for one in FIELD])
def test_a_real_sampler_breaks_what_was_triaged(one: Sampler) -> None:
    try:
        module(one.place)
    except (ImportError, RuntimeError) as error:  # a torchvision of another build than torch
        pytest.skip(f"{one.place} cannot be imported ({error}): docs/field.md says what to install")
    report = sc.run(one.target, profile="quick", select=one.only)
    broken = {result.code for result in report.results if result.outcome is Outcome.BROKEN}
    said = complaints(report)
    assert broken == set(one.broken), said
    assert set(said) == broken  # nothing is left undecided
    assert {result.code for result in report.results if _is_strict(result)} == set(one.strict)


def _is_strict(result: LawResult) -> bool:
    return result.advice is not None and not result.advice.advice and result.advice.grade == "strict"


def test_every_broken_law_is_triaged_once() -> None:
    rows = ROW.findall(Path(__file__).with_name("FINDINGS.md").read_text(encoding="utf-8"))
    triaged = [(name, code, grade) for name, code, grade, _ in rows]
    harm = [(one.name, code, "harm") for one in FIELD for code in one.broken]
    strict = [(one.name, code, "strict") for one in FIELD for code in one.strict]
    assert sorted(triaged) == sorted(harm + strict)


def test_the_real_samplers_have_names_of_their_own() -> None:
    assert len({one.name for one in FIELD}) == len(FIELD)
