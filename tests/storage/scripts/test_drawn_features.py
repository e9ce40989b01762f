"""Features that are drawn, and not written out, are the same in a script."""

from __future__ import annotations

import random
from typing import Any

import pytest

import samplercheck as sc
from samplercheck.storage.scripts._case_text import MOST_WRITTEN, CaseText
from samplercheck.targets.features import FEW, feature
from samplercheck.targets.provenance import Provenance
from samplercheck.values.case import Case


def build(lengths, labels, weights, rank, world_size):
    return iter(())


@pytest.mark.parametrize("name", ["lengths", "labels", "weights"])
@pytest.mark.parametrize("length", [MOST_WRITTEN - 1, MOST_WRITTEN + 1, FEW, FEW + 1, 700])
def test_a_list_in_a_script_is_that_of_the_case(name, length):
    case = Case(length=length, seed=3)
    target = sc.target(build)
    text = CaseText(Provenance(target=target, binding=target.bind()), case)
    text.list_of(name)
    scope: dict[str, Any] = {"random": random}
    exec("\n".join(text.helpers.values()), scope)
    assert scope[name] == feature(case, name)
