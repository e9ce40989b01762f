"""Real samplers, under the contracts that their documentation states, break what was triaged and no more.

Run by pytest where the extra ``field`` is installed; slow. FINDINGS.md says of every broken law whether it
is a defect or a limitation.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import samplercheck as sc
from samplercheck import Outcome
from tests.field._field import Sampler, module
from tests.field.targets import FIELD
from tests.support.complaints import complaints

ROW = re.compile(r"^\| (\S+) \| (SC\d+) \| (defect|limitation) \| ", re.MULTILINE)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # they are the packages' own
@pytest.mark.parametrize("one", [pytest.param(one, id=one.name) for one in FIELD])
def test_a_real_sampler_breaks_what_was_triaged(one: Sampler) -> None:
    try:
        module(one.place)
    except (ImportError, RuntimeError) as error:  # a torchvision of another build than torch
        pytest.skip(f"{one.place} cannot be imported ({error}): docs/field.md says what to install")
    report = sc.run(one.target, profile="quick", select=one.only, strict=True)
    broken = {result.code for result in report.results if result.outcome is Outcome.BROKEN}
    said = complaints(report)
    assert broken == set(one.broken), said
    assert set(said) == broken  # nothing is left undecided


def test_every_broken_law_is_triaged_once() -> None:
    rows = ROW.findall(Path(__file__).with_name("FINDINGS.md").read_text(encoding="utf-8"))
    triaged = [(name, code) for name, code, _ in rows]
    assert sorted(triaged) == sorted((one.name, code) for one in FIELD for code in one.broken)


def test_the_real_samplers_have_names_of_their_own() -> None:
    assert len({one.name for one in FIELD}) == len(FIELD)
