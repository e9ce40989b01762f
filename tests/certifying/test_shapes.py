"""What a certificate says by words is what a run of its profile writes, of whatever target."""

from __future__ import annotations

import re

import pytest

import samplercheck as sc
from samplercheck.certifying.shapes import (
    differences_of_place,
    differences_of_small_scope,
    differences_of_words,
)
from samplercheck.search.axes import combinations
from samplercheck.search.profiles import PROFILES, for_loaders, modestly
from samplercheck.search.small_scope import scope_of

WHOLE = PROFILES["certify"]
KINDS = WHOLE, for_loaders(WHOLE)


def plain(length, rank, world_size):
    return range(rank, length, world_size)


def batches(dataset, lengths, labels, rank, world_size, batch_size, shuffle, drop_last, seed, bucket, kind):  # noqa: PLR0917
    return []


@pytest.mark.parametrize("profile", KINDS)
@pytest.mark.parametrize("collectives", [True, False])
@pytest.mark.parametrize("replicas", [1, 2])
@pytest.mark.parametrize("target", [plain, batches])
def test_the_small_scope_of_a_run_is_the_grid_that_it_says(profile, collectives, replicas, target):
    axes = {"bucket": [1, 2, 8], "kind": ["a, b", "4 epochs"]} if target is batches else {}
    bound = sc.target(target, contract=sc.Contract(replicas=replicas), axes=axes).bind()
    scope = scope_of(bound, profile, combinations(axes, 0), collectives=collectives)
    for more in ("", "; less than of a sampler, because a loader takes longer"):
        phase = {"scope": f"everything in {scope.text}{more}", "cases": scope.size}
        assert list(differences_of_small_scope(phase, KINDS)) == []
        assert list(differences_of_small_scope({**phase, "cases": 1}, KINDS)) != []


@pytest.mark.parametrize(
    ("scope", "is_known"),
    [
        ("everything in length 0-{longest}, world 1-{widest}, 3 epochs", True),
        ("everything in length 0-{longest}, world 1-{narrower}, 3 epochs", False),
        ("everything in length 0-{longer}, world 1-{widest}, 3 epochs", False),
        ("everything in length 0-1, world 1-{widest}, 3 epochs", False),
    ],
)
def test_a_grid_of_another_size_is_none_of_the_profile(scope, is_known):
    longest, widest = max(kind.longest for kind in KINDS), WHOLE.widest
    text = scope.format(longest=longest, longer=longest + 1, widest=widest, narrower=widest - 1)
    seen = list(differences_of_small_scope({"scope": text, "cases": 10**6}, KINDS))
    assert seen == ([] if is_known else ["the small scope of another profile"])


REACHED = "length to 998, world to 20, both at once to world 2 with length 900"
WORDS = [
    (
        "pairs",
        200,
        "every pair of values of length 0-24, world 1-8, batch 1-5, shuffle, drop_last, seeds 0, 1, 4 epochs",
    ),
    (
        "workers",
        9,
        "few cases with 1 to 3 forked workers, and 1 spawned, for SC801; without workers anywhere else",
    ),
    ("epochs", 3, "3 cases of 48 epochs, then epochs 100, 256, 1,000, 2,147,483,648"),
    ("frequencies", 6, "5 cases of 384 and 3,072 epochs and one of 3,072 samples, for SC1002"),
    (
        "frontier",
        114,
        "length to 587, world to 65, both at once to world 4 with length 587, batch to 9, seeds of 63 bits",
    ),
    ("wide", 298, "length to 98,341, world to 1, both at once to world 1 with length 1, seeds to 3"),
    ("modest", 19_500, f"drawn: {REACHED}, batch to 125, seeds of 63 bits"),
    ("large", 500, f"drawn: {REACHED}"),
    (
        "gloo",
        33,
        "in gloo: every pair of values of length 0-101, world 1-3, batch 1-3, shuffle, drop_last, seed",
    ),
]
"""What phases of real certificates say, of an index sampler, a batch sampler, draws and a stream."""
REACH = {"modest": modestly(WHOLE), "large": WHOLE}


@pytest.mark.parametrize(("phase", "cases", "scope"), WORDS, ids=[one[0] for one in WORDS])
def test_what_a_run_says_of_a_phase_is_taken_and_another_text_is_not(phase, cases, scope):
    said = {"phase": phase, "cases": cases, "scope": scope}
    assert list(differences_of_words(said, REACH)) == []
    assert list(differences_of_words({**said, "scope": f"{scope}!"}, REACH)) == [
        f"a scope that no phase {phase!r} has"
    ]


@pytest.mark.parametrize("phase", ["modest", "epochs"])
def test_a_number_that_python_does_not_read_is_none_of_a_phase(phase):
    (scope,) = (one for name, _, one in WORDS if name == phase)
    said = {"phase": phase, "cases": 3, "scope": re.sub(r"\d+", "9" * 5_000, scope, count=1)}
    assert list(differences_of_words(said, REACH)) == [f"a scope that no phase {phase!r} has"]


def test_a_phase_that_went_beyond_its_profile_is_told():
    said = {"phase": "modest", "cases": 1, "scope": f"drawn: {REACHED.replace('998', '1,001')}"}
    assert list(differences_of_words(said, REACH)) == ["modest cases beyond those of its profile"]


DEFINED = {
    "class Thing: pass": True,
    "def Thing(): pass": True,
    "if True:\n    Thing, other = 1, 2": True,
    "from elsewhere import Other as Thing": True,
    "from elsewhere import *": True,
    "def __getattr__(name): return 1": True,
    "globals()['Thi' + 'ng'] = 1": True,
    "from elsewhere import Thing as Other": False,
    "print(Thing)": False,
    "other = Thing": False,
    "# Thing": False,
    "(": False,
}


@pytest.mark.parametrize(("text", "is_defined"), DEFINED.items())
def test_a_target_is_what_its_file_defines(text, is_defined, tmp_path):
    path = tmp_path / "samplers.py"
    path.write_text(text)
    wrong = [] if is_defined else ["Thing is not defined there"]
    assert list(differences_of_place("samplers.py:Thing.build", [path])) == wrong
