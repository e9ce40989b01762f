"""The content of case files: written and read without loss, and nothing but clean errors for all else."""

from __future__ import annotations

import json
import os
import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from samplercheck import Case
from samplercheck.storage.case_file import LARGEST_FILE, Breach, StoredCase, read_case
from samplercheck.values.errors import StoreError
from tests.support.strategies import any_cases

CASE = Case(length=3, world_size=2)
BREACH = Breach(
    target="pkg:x",
    law="SC104",
    found="rank 0 left",
    place="pkg:x",
    world="gloo",
    contract={"tail": "keep", "repeats": 2, "elastic": False, "reference": None},
    lacking=("batch_rule",),
    source="0" * 64,
    versions={"torch": "2.13.0"},
    stamp="f" * 64,
)
PLAIN = json.loads(StoredCase(CASE, (BREACH,)).encode())

# How much is tried; CI says more.
FUZZ = settings(max_examples=int(os.environ.get("SAMPLERCHECK_TEST_FUZZ", "400")))

breaches = st.builds(
    Breach,
    target=st.text(min_size=1, max_size=20),
    law=st.sampled_from(["SC104", "SC1001", "MY001"]),
    found=st.text(max_size=30),
    place=st.text(max_size=10),
    world=st.sampled_from(["simulated", "gloo", "nccl"]),
    contract=st.dictionaries(
        st.text(max_size=5), st.booleans() | st.integers() | st.text(max_size=5), max_size=2
    ),
    versions=st.dictionaries(st.text(max_size=5), st.text(max_size=5), max_size=2),
    code=st.sampled_from(["", "c" * 64]),
    experiments=st.sampled_from([(), ("epochs", "jumps")]),
    before=st.sampled_from([(), ("n=3", "n=1,world=2")]),
)
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


def read_or_refused(content: bytes) -> None:
    """Parse: a case with its breaches, or an error that names the file."""
    why = ""
    try:
        stored = StoredCase.parse(content, "some.json")
    except StoreError as error:
        why = str(error)
    else:
        assert StoredCase.parse(stored.encode(), "again.json").case == stored.case
    assert not why or why.startswith("some.json")


@pytest.mark.thorough
@given(case=any_cases(), broken=st.lists(breaches, max_size=3))
def test_what_is_written_is_read_again(case, broken):
    kept = StoredCase(case, ()).with_more(broken)
    assert StoredCase.parse(kept.encode(), "some.json") == kept


@FUZZ
@given(st.binary(max_size=200))
def test_any_bytes_are_a_case_or_a_clean_error(content):
    read_or_refused(content)


@pytest.mark.thorough
@FUZZ
@given(anything)
def test_any_json_is_a_case_or_a_clean_error(value):
    read_or_refused(json.dumps(value).encode())


@pytest.mark.thorough
@FUZZ
@given(st.data())
def test_a_file_with_one_value_replaced_is_a_case_or_a_clean_error(data):
    plain = json.loads(json.dumps(PLAIN))
    holder = plain
    for _ in range(4):
        keys = list(holder) if isinstance(holder, dict) else list(range(len(holder)))
        key = data.draw(st.sampled_from(keys + (["new"] if isinstance(holder, dict) else [])))
        inner = holder.get(key) if isinstance(holder, dict) else holder[key]
        if not isinstance(inner, (dict, list)) or not inner or data.draw(st.booleans()):
            break
        holder = inner
    holder[key] = data.draw(anything)
    read_or_refused(json.dumps(plain).encode())


@FUZZ
@given(st.integers(0, 700), st.integers(0, 12), st.binary(max_size=6))
def test_a_file_with_some_bytes_replaced_is_a_case_or_a_clean_error(start, length, bytes_in_their_place):
    content = StoredCase(CASE, (BREACH,)).encode()
    read_or_refused(content[:start] + bytes_in_their_place + content[start + length :])


@FUZZ
@given(st.sampled_from(["law", "world", "source", "stamp"]), st.text(min_size=1, max_size=3), st.booleans())
@pytest.mark.thorough
def test_what_has_a_pattern_has_nothing_before_or_after_it(field, more, is_after):
    right = PLAIN["broken"][0][field]
    said = right + more if is_after else more + right
    assume(re.fullmatch(r"[A-Z]+[0-9]{3,4}|[a-z]{1,20}|[0-9a-f]{64}", said, re.ASCII) is None)
    content = {**PLAIN, "broken": [{**PLAIN["broken"][0], field: said}]}
    with pytest.raises(StoreError, match="matching regex"):
        StoredCase.parse(json.dumps(content).encode(), "some.json")


@pytest.mark.parametrize(
    "change",
    [
        {"law": "rm -rf"},
        {"law": "SC104\nx"},
        {"law": "SC104\n"},
        {"world": "gloo\n"},
        {"source": "\n"},
        {"stamp": f"{'f' * 64}\n"},
        {"target": ""},
        {"target": "x" * 1_001},
        {"found": "x" * 4_001},
        {"world": "../../x"},
        {"contract": {"batch_rule": ["os.system"]}},
        {"contract": {str(number): 1 for number in range(41)}},
        {"source": "g" * 64},
        {"stamp": "f" * 63},
        {"versions": {"torch": 2}},
        {"callable": "os:system"},
    ],
    ids=str,
)
def test_a_breach_that_says_too_much_is_refused(change):
    content = {**PLAIN, "broken": [{**PLAIN["broken"][0], **change}]}
    with pytest.raises(StoreError, match=r"some\.json is no stored case"):
        StoredCase.parse(json.dumps(content).encode(), "some.json")


def test_the_later_of_two_breaches_of_one_law_and_target_stays():
    other = Breach(target="pkg:x", law="SC104", found="said better")
    assert StoredCase(CASE, (BREACH,)).with_more([other]).broken == (other,)


def test_a_file_is_read_no_further_than_any_case_is_long(tmp_path):
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        file.truncate(LARGEST_FILE * 1_000)  # sparse: reading all of it would take the memory of a machine
    with pytest.raises(StoreError, match="is larger than"):
        read_case(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are of Unix")
def test_a_named_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(StoreError, match="it is no plain file"):
        read_case(tmp_path / "pipe.json")


def test_a_file_that_does_not_exist_is_a_clean_error(tmp_path):
    with pytest.raises(StoreError, match="is no stored case"):
        read_case(tmp_path / "nowhere.json")
