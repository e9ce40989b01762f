"""Conditions in words: no more is said than the formula says, and what has no words stays a formula."""

from __future__ import annotations

import re

import pytest

from samplercheck import Case
from samplercheck.explain.atoms import atoms_of
from samplercheck.explain.table import Table
from samplercheck.explain.words import by_places, say_region

CASES = [
    Case(length=n, world_size=w, batch_size=b, shuffle=shuffle, drop_last=drop)
    for n in range(13)
    for w in range(1, 6)
    for b in (1, 2, 3)
    for shuffle in (False, True)
    for drop in (False, True)
]


BY_FLAG = (
    "exactly when (drop_last and length // batch_size % world_size != 0) or (not drop_last and "
    "ceil(length / batch_size) % world_size != 0)"
)


@pytest.mark.parametrize(
    ("region", "says"),
    [
        ("in every case", "always"),
        ("in every case; undecided where length == 0", "always, except for an empty dataset"),
        (
            "in every case; undecided where length <= world_size",
            "always; undecided with no more samples than ranks",
        ),
        ("by chance", "by chance, in 9 of 20 small cases"),
        ("exactly when length < 3 or length >= 4", "always, except with 3 samples"),
        (
            "exactly when world_size >= 2 and world_size < 5 and shuffle",
            "always on 2 to 4 ranks with shuffle",
        ),
        (
            "exactly when world_size > hosts and world_size % hosts != 0",
            "always on more ranks than hosts where world_size is no multiple of hosts",
        ),
        (
            "exactly when ceil(length / world_size) * world_size > window and window % world_size != 0",
            "whenever length, once padded, is more than window and window is no multiple of world_size",
        ),
        ("exactly when length >= 1", "always, except for an empty dataset"),
        ("exactly when length % world_size != 0", "whenever length is no multiple of world_size"),
        (
            "exactly when world_size >= 2 and length % (world_size * batch_size) != 0",
            "always on 2 or more ranks where length is no multiple of world_size * batch_size",
        ),
        (
            "exactly when shuffle and world_size >= 2 and length > world_size",
            "always on 2 or more ranks with shuffle and more samples than ranks",
        ),
        (
            "exactly when length % world_size != 0 or length % batch_size != 0",
            "whenever length is no multiple of world_size, or length is no multiple of batch_size",
        ),
        (
            "exactly when (length >= 1 and not drop_last) or length >= world_size",
            "always, except with drop_last and fewer samples than ranks",
        ),
        (
            "exactly when not shuffle and (length % 3 == 0 or batch_size == 2)",
            "always without shuffle and either where length is a multiple of 3, or with batch_size 2",
        ),
        (
            "exactly when length % 8 > 1 and mode == 'x'",
            "always with mode='x' where length divided by 8 leaves more than 1",
        ),
        (
            "exactly when length >= 2 and length % world_size != 0 and length % world_size <= 1",
            "always with 2 or more samples where length divided by world_size leaves 1",
        ),
        (
            "exactly when length // batch_size % world_size == 0",
            "whenever the number of full batches is a multiple of world_size",
        ),
        ("exactly when length < budget and a > 1", "always with fewer samples than budget where a > 1"),
        ("exactly when ceil(length / world_size) <= k", "whenever no rank gets more than k samples"),
        (
            "exactly when ceil(length / world_size) % batch_size == 1",
            "whenever a rank's last, unfilled batch holds 1 sample",
        ),
        ("exactly when max(lengths) > budget", "whenever a sample is longer than budget"),
        (
            "exactly when ceil(length / world_size) <= size and ceil(length / world_size) >= size",
            "whenever the largest share holds size samples",
        ),
        ("exactly when length >= size and length <= size", "always with just as many samples as size"),
        ("exactly when max(lengths) <= budget", "whenever no sample is longer than budget"),
        ("exactly when sum(lengths) > budget", "whenever all samples together are longer than budget"),
        (
            "exactly when length >= 2 and (length >= world_size or not drop_last)",
            "always with 2 or more samples, except with fewer samples than ranks and drop_last",
        ),
        (
            "exactly when ceil(length / (world_size * batch_size)) % world_size != 0",
            "whenever the number of global batches is no multiple of world_size",
        ),
        ("exactly when max(labels) >= len(set(labels))", "whenever a label below the highest has no sample"),
        (
            "exactly when len(set(labels)) == 1 and length >= 1",
            "whenever all labels are alike",
        ),
        (
            BY_FLAG,
            (
                "whenever the number of batches (with drop_last: the number of full batches) is no "
                "multiple of world_size"
            ),
        ),
        (
            "exactly when (shuffle and length >= 2 * world_size) or (not shuffle and length > 3)",
            "always with shuffle and at least two samples per rank, or without shuffle where length > 3",
        ),
        ("at least when shuffle", "always with shuffle, perhaps in other cases"),
        ("at least when shuffle, except by chance", "nearly always with shuffle, perhaps in other cases"),
        (
            "at least when length >= 8 and 2 * length > world_size",
            "always, but perhaps not for tiny datasets",
        ),
        (
            "in all tried cases when 2 * length < world_size and length >= 1",
            "in all 9 cases tried with more than twice as many ranks as samples",
        ),
        (
            "exactly when length % world_size == 0 and length % (batch_size * world_size) != 0",
            "whenever length is a multiple of world_size but not of batch_size * world_size",
        ),
        ("not before epoch 10", "not before epoch 10"),
        ("not before epoch 1, exactly when shuffle", "from the second epoch on: always with shuffle"),
        (
            "not in 48 epochs in a row (seen in epoch 1,000), exactly when shuffle",
            "not in 48 epochs in a row (seen in epoch 1,000): always with shuffle",
        ),
        ("not before epoch 10, exactly when shuffle", "not before epoch 10: always with shuffle"),
        (
            "in the first 2 of 40 epochs, exactly when shuffle",
            "only in the first 2 of 40 epochs: always with shuffle",
        ),
        ("in the first 1 of 40 epochs", "only in the first of 40 epochs"),
        ("in the first 8 epochs", "only in the first 8 epochs"),
        ("in each new process", "in each new process"),
        ("", ""),
    ],
)
def test_a_region_is_said_as_a_person_would(region: str, says: str) -> None:
    assert say_region(region, failing=9, tried=20) == says


@pytest.mark.parametrize(
    ("failing", "inside", "says"),
    [
        (81, 85, "in 81 of the 85 small cases {}, and in no others"),
        (85, 85, "in all small cases {} (85 of 260); larger ones may differ"),
        (81, 0, "in 81 of 260 small cases, only {}"),
        (0, 0, "seen only {}, and not always there"),
    ],
)
def test_where_a_law_can_fail_and_need_not_cases_are_counted(failing: int, inside: int, says: str) -> None:
    region = "only when shuffle and world_size >= 2"
    told = says.format("on 2 or more ranks with shuffle")
    assert say_region(region, failing=failing, tried=260, inside=inside) == told


def test_what_features_decide_happens_as_often_as_they_let_it() -> None:
    told = say_region("only when len(set(lengths)) > 1", failing=9, tried=260)
    assert told == "only where lengths differ between samples (9 of 260 small cases with made-up lengths)"
    short = say_region("only when lengths leave several batches not full", failing=9, tried=260)
    assert short == "in 9 of 260 small cases, only where lengths leave several batches not full"


def test_what_all_but_tiny_datasets_meet_is_no_condition() -> None:
    region = "at least when length >= world_size * batch_size and length >= 4"
    assert say_region(region, failing=90, tried=99, inside=80) == "always, but for some tiny datasets"
    large = say_region("at least when length >= 64 and 2 * length > world_size", failing=9, tried=9)
    assert "64 or more samples" in large
    shuffled = say_region(f"{region} and shuffle", failing=90, tried=99, inside=80)
    assert "4 or more samples and shuffle, sometimes in other cases" in shuffled


def test_that_a_dataset_is_not_empty_is_left_out_of_what_is_seen_only_somewhere() -> None:
    region = "only when 2 * length < world_size and length >= 1"
    told = "seen only with more than twice as many ranks as samples, and not always there"
    assert say_region(region) == told
    assert say_region(region, failing=5, tried=9, inside=5).startswith("in all small cases with more")
    assert "with more than twice as many ranks as samples and 1 or more samples" in say_region(
        region, failing=5, tried=9, inside=5
    )
    shuffled = say_region("only when shuffle and length >= 2", failing=5, tried=9)
    assert shuffled == "in 5 of 9 small cases, only with shuffle"
    assert say_region("only when length >= 1") == "seen only with 1 or more samples, and not always there"


@pytest.mark.parametrize(
    ("region", "says"),
    [
        ("exactly when not drop_last or length >= world_size", "with drop_last and fewer samples than ranks"),
        ("exactly when length >= 1 and (shuffle or world_size >= 2)", "on a single rank without shuffle"),
        ("exactly when (length >= 1 and shuffle) or batch_size == 3", ""),
        ("exactly when shuffle or length % 3 == 0", ""),
    ],
)
def test_alternatives_are_said_by_the_few_cases_that_are_none_of_them(region: str, says: str) -> None:
    assert (f"always, except {says}" == say_region(region)) is bool(says)


def test_conditions_that_differ_are_said_differently() -> None:
    atoms = [atom.text for atom in atoms_of(Table(CASES))]
    alike = {"length < 1": "length == 0", "world_size < 2": "world_size == 1"}
    said = {atom: say_region(f"exactly when {atom}") for atom in atoms if alike.get(atom) not in atoms}
    assert len(atoms) > 60
    assert len(set(said.values())) == len(said)


def test_a_condition_in_words_keeps_its_numbers() -> None:
    for atom in atoms_of(Table(CASES)):
        assert "%" not in say_region(f"exactly when {atom.text}")
        numbers = [one for one in re.findall(r"\d+", atom.text) if one not in "012"]
        assert all(one in say_region(f"exactly when {atom.text}") for one in numbers)


def test_ranks_that_share_a_place_are_dealt_to_and_padded_for_by_places() -> None:
    said = "Pad by -length % world_size samples, then order[rank::world_size]."
    assert by_places(said, replicas=1) == said
    padded = "Pad by -length % (world_size // 2) samples, then order[rank // 2::world_size // 2]."
    assert by_places(said, replicas=2) == padded
