"""A shard is some of the cases, the same on every machine; which one a job has may stand in its variables."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from samplercheck import Case
from samplercheck.errors import UsageError
from samplercheck.values.shard import WHOLE, Shard, describe_missing, parse_shard
from tests.support.strategies import any_cases

SLURM = {"SLURM_ARRAY_TASK_ID": "7", "SLURM_ARRAY_TASK_COUNT": "4", "SLURM_ARRAY_TASK_MIN": "5"}


@pytest.mark.thorough
@given(st.lists(any_cases(), max_size=20), st.integers(1, 9))
def test_every_case_is_in_one_shard_and_in_no_other(several: list[Case], of: int) -> None:
    shards = [Shard(of=of, parts=(part,)) for part in range(1, of + 1)]
    for case in several:
        assert sum(shard.has(case) for shard in shards) == 1
    assert all(WHOLE.has(case) for case in several)
    both = Shard(of=of, parts=tuple(range(1, of + 1)))
    assert both.is_whole
    assert both.select(several) == several


@given(any_cases())
def test_plain_data_holds_a_shard(case: Case) -> None:
    shard = Shard(of=4, parts=(1, 3))
    assert Shard.from_dict(shard.to_dict()) == shard
    assert shard.has(case) == (Shard(of=4, parts=(1,)).has(case) or Shard(of=4, parts=(3,)).has(case))


def test_the_part_of_a_case_is_the_same_on_every_machine_and_in_every_version() -> None:
    tokens = ["n=0", "n=3,world=2,batch=1", "n=3,world=2,drop_last", "n=12,world=5,shuffle,seed=1"]
    parts = [
        next(part for part in range(1, 5) if Shard(of=4, parts=(part,)).has(Case.parse(token)))
        for token in tokens
    ]
    assert parts == [4, 1, 4, 3]


def test_a_shard_says_which_it_is() -> None:
    one, two = Shard(of=4, parts=(2,)), Shard(of=4, parts=(1, 3))
    assert (one.text, two.text) == ("shard 2/4", "shards 1, 3 of 4")
    assert one.describe("all") == "shard 2/4 of: all"
    assert WHOLE.describe("all") == "all"
    assert describe_missing(two) == "2 shards of 4 missing (2, 4): not all cases were looked at"


@pytest.mark.parametrize(
    ("text", "variables", "part", "of"),
    [
        ("2/4", {}, 2, 4),
        (" 1/1 ", {}, 1, 1),
        ("auto", SLURM, 3, 4),
        ("auto", {**SLURM, "SLURM_ARRAY_TASK_ID": "11", "SLURM_ARRAY_TASK_STEP": "2"}, 4, 4),
        ("auto/3", {"JOB_COMPLETION_INDEX": "0"}, 1, 3),
        ("auto", {"CI_NODE_INDEX": "2", "CI_NODE_TOTAL": "5"}, 2, 5),
        ("auto", {"CIRCLE_NODE_INDEX": "2", "CIRCLE_NODE_TOTAL": "5"}, 3, 5),
        ("auto", {"BUILDKITE_PARALLEL_JOB": "0", "BUILDKITE_PARALLEL_JOB_COUNT": "2"}, 1, 2),
        ("auto", {"SYSTEM_JOBPOSITIONINPHASE": "1", "SYSTEM_TOTALJOBSINPHASE": "2"}, 1, 2),
        ("2/4", SLURM, 2, 4),
    ],
)
def test_a_shard_is_named_or_found_in_the_variables_of_a_job(text, variables, part, of) -> None:
    assert parse_shard(text, variables) == Shard(of=of, parts=(part,))


@pytest.mark.parametrize(
    ("text", "variables", "message"),
    [
        ("two of four", {}, r"Shard 'two of four' is none: write --shard 2/4"),
        ("0/4", {}, "counted from 1 to 4"),
        ("5/4", {}, "would be shard 5 of 4"),
        ("1/0", {}, "none of 1 to 100,000 shards"),
        ("auto", {}, "none of SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX, .* is set"),
        ("auto", {"JOB_COMPLETION_INDEX": "0"}, "nothing says of how many: write --shard auto/4"),
        ("auto", {"SLURM_ARRAY_TASK_ID": "7"}, "SLURM_ARRAY_TASK_COUNT='' is no number"),
        ("auto", {**SLURM, "SLURM_ARRAY_TASK_ID": "9"}, "would be shard 5 of 4: .* without a gap"),
        ("auto", {**SLURM, "SLURM_ARRAY_TASK_ID": "8", "SLURM_ARRAY_TASK_STEP": "2"}, "no step of 2"),
        ("auto/2", {"JOB_COMPLETION_INDEX": "0", "CI_NODE_INDEX": "2"}, "ambiguous: JOB_COMPLETION"),
    ],
)
def test_what_names_no_shard_is_refused_with_what_to_write(text, variables, message) -> None:
    with pytest.raises(UsageError, match=message):
        parse_shard(text, variables)
