"""What an iterator yields becomes integers in a pass; what is no index is described, never guessed."""

from __future__ import annotations

from array import array
from collections import deque
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.utils.data import DataLoader, IterableDataset

from samplercheck.experiments import _reading
from samplercheck.experiments._reading import advance, append, consume, open_pass
from samplercheck.values import record
from samplercheck.values.record import Pass
from tests.sound.trainers import Bare, Restarting


class Crop(NamedTuple):
    idx: int
    corner: int


class Pair(NamedTuple):
    first: int
    second: int


class Unreadable(list):
    def __iter__(self):
        raise ValueError("not for you")


OF_ITSELF = []
OF_ITSELF.append(OF_ITSELF)


class Unshowable:
    def __repr__(self):
        raise RuntimeError("no words")


def read(yielded, cap=100):
    one = Pass(0, array("q"))
    consume(iter(yielded), one, cap)
    return one


def batches(one):
    return [batch.tolist() for batch in one.batches()]


@pytest.mark.parametrize(
    "yielded",
    [[2, 0, 1], [np.int64(2), np.int32(0), 1], torch.tensor([2, 0, 1]), [2, torch.tensor(0), 1]],
    ids=["ints", "numpy", "tensors", "mixed"],
)
def test_whatever_stands_for_an_integer_is_one(yielded):
    one = read(yielded)
    assert (list(one.items), one.sizes, one.strange, one.ending) == ([2, 0, 1], None, "", "finished")


@pytest.mark.parametrize(
    "yielded",
    [
        [[2, 0], [1]],
        [(2, 0), (1,)],
        [np.array([2, 0]), np.array([1])],
        [torch.tensor([2, 0]), torch.tensor([1])],
        [[2, torch.tensor(0)], [np.int64(1)]],
        [range(2, -1, -2), range(1, 2)],
        [deque([2, 0]), deque([1])],
    ],
    ids=["lists", "tuples", "arrays", "tensors", "mixed", "ranges", "deques"],
)
def test_whatever_stands_for_a_batch_is_one(yielded):
    one = read(yielded)
    assert (batches(one), one.strange) == ([[2, 0], [1]], "")


def test_a_named_tuple_is_a_sample_where_a_name_says_which_and_else_a_batch():
    one = read([Crop(2, 9), Crop(0, 7)])
    assert (list(one.items), one.sizes, one.strange) == ([2, 0], None, "")
    assert batches(read([[Crop(2, 9), Crop(0, 7)], [Crop(1, 1)]])) == [[2, 0], [1]]
    assert batches(read([Pair(2, 0), Pair(1, 3)])) == [[2, 0], [1, 3]]


def test_an_empty_batch_is_a_step():
    assert batches(read([[], [1], []])) == [[], [1], []]


def test_a_reused_batch_is_copied_at_once():
    def refilled():
        batch = []
        for index in range(3):
            batch[:] = [index]
            yield batch

    assert batches(read(refilled())) == [[0], [1], [2]]


@pytest.mark.parametrize(
    ("yielded", "kept", "strange"),
    [
        ([0.5], [], "step 0 is 0.5 (float), neither an integer nor a batch of them"),
        (["a"], [], "step 0 is 'a' (str), neither an integer nor a batch of them"),
        ([b"ab"], [], "step 0 is b'ab' (bytes), neither an integer nor a batch of them"),
        ([None], [], "step 0 is None (NoneType), neither an integer nor a batch of them"),
        ([[0, 0.5]], [], "step 0 is [0, 0.5] (list), neither an integer nor a batch of them"),
        ([[[0]]], [], "step 0 is [[0]] (list), neither an integer nor a batch of them"),
        ([[0], 1], [0], "step 1 is 1 (int), a sample after batches"),
        ([np.int64(0), [1]], [0], "step 1 is [1] (list), neither an integer nor a batch of them"),
        ([[2**70]], [], "step 0 is [1180591620717411303424] (list), too large for an index"),
        ([Unshowable()], [], "step 0 is <no repr: RuntimeError> (Unshowable), neither an integer nor"),
        ([Unreadable([1])], [], "step 0 is a Unreadable that raises ValueError when it is read"),
        ([OF_ITSELF], [], "step 0 is [[...]] (list), which holds itself"),
    ],
)
def test_what_is_no_index_is_described_and_ends_the_reading(yielded, kept, strange):
    one = read([*yielded, 7])
    assert list(one.items) == kept
    assert one.strange.startswith(strange)


@pytest.mark.parametrize("item", [0.5, "a", None, [1], 2**70])
def test_what_is_no_index_among_plain_integers_is_described_too(item):
    one = read([0, item, 1])
    assert list(one.items) == [0]
    assert one.strange.startswith("item 1 is no integer index: ")


def test_an_integer_too_long_to_be_written_is_described_after_batches():
    one = read([[0], 10**5_000])
    assert one.strange == "step 1 is <no repr: ValueError> (int), a sample after batches"


@pytest.mark.parametrize("error", [TypeError, OverflowError, ValueError])
def test_an_error_of_the_target_itself_is_no_strange_item(error):
    def failing():
        yield 0
        raise error("mine")

    one = Pass(0, array("q"))
    with pytest.raises(error, match="mine"):
        consume(failing(), one, 100)
    assert (list(one.items), one.strange) == ([0], "")


@pytest.mark.parametrize("yielded", [range(5), [[index] for index in range(5)]], ids=["samples", "batches"])
@pytest.mark.parametrize(
    ("cap", "kept", "ending"), [(0, 0, "capped"), (4, 4, "capped"), (5, 5, "finished"), (6, 5, "finished")]
)
def test_a_pass_that_has_more_than_the_cap_is_capped(yielded, cap, kept, ending):
    one = read(yielded, cap)
    assert (list(one.items), one.ending) == (list(range(kept)), ending)


def test_a_pass_of_empty_batches_that_goes_on_is_capped_as_one_that_is_read_at_once():
    at_once = read([[]] * 5, 2)
    one, iterator = Pass(0, array("q")), iter([[]] * 5)
    advance(iterator, one, 2)
    consume(iterator, one, 2)
    assert (at_once.steps, one.steps, one.ending) == (2, 2, "capped")
    assert one.same_as(at_once)


def test_a_sample_after_another_is_appended_and_a_batch_is_not():
    one = Pass(0, array("q"))
    for item in (3, np.int64(4), [5]):
        append(one, item)
    assert (list(one.items), one.sizes) == ([3, 4], None)
    assert one.strange == "step 2 is [5] (list), neither an integer nor a batch of them"


@pytest.mark.parametrize("steps", [[2, 0, 1], [[2], [0, 1]]], ids=["samples", "batches"])
@pytest.mark.parametrize("kind", [Restarting, Bare])
def test_an_iterator_is_opened_once_and_then_only_stepped(steps, kind):
    class Opens:
        def __iter__(self):
            return kind(steps)

    one = Pass(0, array("q"))
    iterator = open_pass(Opens())
    advance(iterator, one, 1)
    consume(iterator, one, 100)
    assert list(one.items) == [2, 0, 1]


class Stream(IterableDataset):
    def __init__(self, *yielded):
        self.yielded = yielded

    def __iter__(self):
        return iter(self.yielded)


def streamed(subject):
    one = Pass(0, array("q"))
    consume(open_pass(subject), one, 100)
    return one


@pytest.mark.parametrize("loads", [False, True], ids=["alone", "through a loader"])
def test_what_a_stream_yields_is_a_sample(loads):
    stream = Stream(("2.jpg", 2), {"idx": 0, "x": torch.tensor([7, 8])}, 1)
    one = streamed(DataLoader(stream, batch_size=None) if loads else stream)
    assert (list(one.items), one.sizes, one.strange) == ([2, 0, 1], None, "")


def test_what_a_loader_makes_of_a_stream_is_batches():
    one = streamed(DataLoader(Stream(*[(torch.full((2, 2), index), index) for index in (2, 0, 1)]), 2))
    assert (batches(one), one.strange) == ([[2, 0], [1]], "")


@pytest.mark.parametrize("put", [list, lambda batch: {"idx": torch.tensor(batch)}], ids=["lists", "names"])
def test_a_stream_may_yield_batches(put):
    assert batches(streamed(Stream(put([2, 0]), put([1])))) == [[2, 0], [1]]


def test_a_stream_of_integers_is_read_like_any_sampler():
    assert list(streamed(Stream(2, np.int64(0), torch.tensor(1))).items) == [2, 0, 1]


def test_parts_that_disagree_are_named():
    one = streamed(DataLoader([{"x": 3, "y": 1}]))
    assert one.strange == "step 0 is a dict, and its parts disagree (x: 3 against y: 1)"


def test_what_is_no_index_in_a_stream_of_integers_is_described():
    one = streamed(Stream(0, {"idx": 1}))
    assert list(one.items) == [0]
    assert one.strange == "item 1 is no integer index: 'Sample' object cannot be interpreted as an integer"


@contextmanager
def short_parts():
    """A few samples make a long pass, which is read part by part."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_reading, "AT_ONCE", 8)
        patch.setattr(_reading, "PART", 4)
        patch.setattr(record, "LONG", 5)
        yield


INDICES = st.integers(-5, 40) | st.sampled_from([2**30 - 1, 2**30, 2**31, 2**62, -(2**30), -(2**40)])


@given(yielded=st.lists(INDICES, max_size=40), cap=st.integers(1, 45))
def test_a_long_pass_is_the_same_however_it_is_kept(yielded, cap):
    with short_parts():
        one = read(yielded, cap)
        one.narrow()
    assert one.items.tolist() == one.indices.tolist() == yielded[:cap]
    assert one.ending == ("capped" if len(yielded) > cap else "finished")
    huge = any(not -(2**30) <= index < 2**30 for index in one.items)
    assert one.items.typecode == ("i" if len(one.items) >= 5 and not huge else "q")


@short_parts()
def test_what_a_long_pass_had_yielded_when_it_failed_is_kept():
    def failing():
        yield from range(30)
        raise TypeError("the target's own")

    one = Pass(0, array("q"))
    with pytest.raises(TypeError, match="own"):
        consume(failing(), one, 100)
    assert one.items.tolist() == [*range(30)]


@short_parts()
def test_an_item_that_is_no_index_is_named_in_a_long_pass():
    one = read([*range(30), "x", 31])
    assert one.strange.startswith("item 30 is no integer index")
    assert one.items.tolist() == [*range(30)]


@short_parts()
def test_what_has_ended_is_not_asked_again():
    asked = iter([*range(6), StopIteration, 7])

    class Again:
        def __iter__(self):
            return self

        def __next__(self):
            if (item := next(asked)) is StopIteration:
                raise StopIteration
            return item

    one = Pass(0, array("q", range(5)))
    consume(Again(), one, 100)
    assert one.items.tolist() == [*range(5), *range(6)]
