"""A request survives JSON, and its contract and axes change the target's own."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samplercheck import Contract
from samplercheck.errors import ContractError, UsageError
from samplercheck.supervision.request import RunRequest, target_of
from tests.cli.places import a_target

words = st.text(max_size=5)
scalars = st.booleans() | st.integers() | st.floats(allow_nan=False) | words


@given(
    st.builds(
        RunRequest,
        target=words,
        contract=st.dictionaries(words, scalars, max_size=3),
        axes=st.dictionaries(words, st.lists(scalars | st.none(), max_size=3), max_size=3),
        worlds=st.lists(words).map(tuple),
        select=st.lists(words).map(tuple),
        skip=st.dictionaries(words, words, max_size=2),
        seed=st.integers(0),
        max_time=st.none() | st.floats(0, 1e9),
        max_cases=st.none() | st.integers(0),
        directory=st.none() | words,
        world_settings=st.dictionaries(st.sampled_from(["max_ranks", "memory"]), st.integers(1)),
    )
)
def test_a_request_survives_json(request: RunRequest) -> None:
    assert RunRequest.from_dict(json.loads(json.dumps(request.to_dict()))) == request


def test_an_unknown_field_is_refused() -> None:
    with pytest.raises(UsageError, match=r"Field 'sed' of a run does not exist\. Did you mean 'seed'"):
        RunRequest.from_dict({"target": "m:f", "sed": 1})


def test_what_is_asked_changes_the_target_s_own_contract_and_axes() -> None:
    plain = target_of(a_target("bucketed"), {}, {})
    assert (plain.contract, plain.axes) == (Contract(tail="keep"), {"bucket": [1, 4]})
    asked = target_of(a_target("bucketed"), {"layout": "strided"}, {"bucket": [2]})
    assert (asked.contract, asked.axes) == (Contract(tail="keep", layout="strided"), {"bucket": [2]})
    assert asked.name == "bucketed"


@pytest.mark.parametrize("changes", [{"endless": True, "tail": "drop"}, {"tial": "keep"}])
def test_an_impossible_contract_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(ContractError):
        target_of(a_target("bucketed"), changes, {})
