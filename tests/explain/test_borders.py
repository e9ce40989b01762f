"""States moved to a border: the target saves nothing in between, and goes on where it was all the same."""

from __future__ import annotations

import pytest

from samplercheck import Case, Contract
from samplercheck.explain import borders
from samplercheck.targets.binding import Binding

CASE = Case(length=7, batch_size=3)


class Place:
    """Goes on behind so many samples, and remembers which of its states were asked for."""

    def __init__(self, length, batch_size):
        self.length = length
        self.start = self.done = 0
        self.asked = []

    def __iter__(self):
        start, self.start = self.start, 0
        for place in range(start, self.length):
            self.done = place + 1
            yield place
        self.done = 0

    def state_dict(self):
        self.asked.append(self.done)
        return {"done": self.done}

    def load_state_dict(self, state):
        self.start = self.done = state["done"]


class InBatches(Place):
    """Yields pairs."""

    def __iter__(self):
        self.start = self.done = 0
        yield from ([0, 1], [2, 3])


def built(change, factory=Place, case=CASE, contract=None, **turned):
    binding = Binding(factory, contract or Contract(resume="state_dict"), {}, "place")
    return change.binding(binding).build(case, 0, turned)


def stopped(one, after):
    """What an object has yielded so far, with its pass still open."""
    opened = iter(one)
    return [next(opened) for _ in range(after)], opened


@pytest.mark.parametrize("change", [borders.on_batch_borders, borders.at_ends])
@pytest.mark.parametrize("after", range(8))
def test_a_run_goes_on_where_it_was_stopped_and_its_next_pass_is_whole(change, after):
    one, other = built(change), built(change)
    done, _ = stopped(one, after)
    other.load_state_dict(one.state_dict())
    assert done + list(other) == list(range(7))
    assert list(other) == list(range(7))


@pytest.mark.parametrize(("change", "asked"), [(borders.on_batch_borders, [0, 3, 6]), (borders.at_ends, [0])])
def test_the_target_is_asked_for_its_state_on_borders_alone(change, asked):
    one = built(change)
    _ = stopped(one, 7)
    assert one.state_dict()["since"] == 7 - asked[-1]
    assert one.behind.asked == asked


def test_the_end_of_an_epoch_is_a_border_of_epochs_and_a_short_last_batch_none_of_batches():
    epochs, batches = built(borders.at_ends), built(borders.on_batch_borders)
    for one in (epochs, batches):
        assert list(one) == list(range(7))
    assert epochs.state_dict() == {"border": {"done": 0}, "since": 0, "epoch": None}
    assert batches.state_dict() == {"border": {"done": 6}, "since": 1, "epoch": None}


def test_a_state_saved_several_times_in_one_epoch_leads_to_the_same_place():
    one = built(borders.on_batch_borders)
    done, _ = stopped(one, 1)
    for _ in range(2):
        other = built(borders.on_batch_borders)
        other.load_state_dict(one.state_dict())
        more, _ = stopped(other, 2)
        done, one = done + more, other
    assert done == [0, 1, 2, 3, 4]
    assert one.state_dict()["since"] == 2


def test_an_epoch_that_is_set_again_begins_at_its_beginning():
    class Told(Place):
        def set_epoch(self, epoch):
            self.start = 0

    one, other = built(borders.at_ends, Told), built(borders.at_ends, Told)
    one.set_epoch(1)
    stopped(one, 2)
    for epoch, left in ((1, 5), (2, 7)):
        other.load_state_dict(one.state_dict())
        other.set_epoch(epoch)
        assert len(list(other)) == left


def test_what_yields_batches_is_always_between_two():
    one = built(borders.on_batch_borders, InBatches)
    stopped(one, 1)
    assert one.state_dict()["since"] == 0


@pytest.mark.parametrize(
    ("change", "consumed", "told", "left"),
    [
        (borders.on_batch_borders, 4, 3, [4, 5, 6]),
        (borders.on_batch_borders, 7 + 5, 7 + 3, [5, 6]),
        (borders.at_ends, 4, 0, [4, 5, 6]),
        (borders.at_ends, 7 + 5, 7, [5, 6]),
    ],
)
def test_consumed_samples_are_told_up_to_a_border_and_the_rest_is_left_out_once(change, consumed, told, left):
    class Consuming(Place):
        def __init__(self, length, batch_size, consumed):
            super().__init__(length, batch_size)
            self.consumed, self.start = consumed, consumed % length

    one = built(change, Consuming, contract=Contract(resume="consumed"), consumed=consumed)
    assert one.behind.consumed == told
    assert list(one) == left
    assert list(one) == list(range(7))


def test_what_keeps_no_state_is_left_as_it_is():
    assert built(borders.at_ends, lambda length: range(length)) == range(7)  # noqa: PLW0108  (range has no signature)


def test_a_resumed_epoch_is_left_out_once_and_no_pass_is_read_ahead_of_its_state():
    class Again(Place):
        def __iter__(self):
            start, self.start = self.start, 0
            yield from super().__iter__() if not start else range(start, self.length)

    one, other = built(borders.counted, Again), built(borders.counted, Again)
    done, _ = stopped(one, 2)
    state = one.state_dict()
    assert state["done"] == 2
    other.load_state_dict(state)
    assert done + list(other) == list(range(7))
    assert list(other) == list(range(7))
