"""Messages as plain data: what ranks record comes back as it was, and nothing else is built."""

from __future__ import annotations

import pickle
from array import array
from dataclasses import fields, is_dataclass
from fractions import Fraction

import msgspec
import numpy as np
import pytest

from samplercheck.engine import Plan
from samplercheck.engine.plan import target_of
from samplercheck.experiments import EXPERIMENTS
from samplercheck.values.case import Case
from samplercheck.values.contract import Contract
from samplercheck.values.record import Fault, Length, Pass, Record
from samplercheck.values.stream import STREAMED
from samplercheck.worlds import open_world
from samplercheck.worlds.groups.messages import Done, GarbledError, RunCase
from samplercheck.worlds.job import letters
from samplercheck.worlds.job.letters import CLASSES, Beat, CaseTurn, read_letter, write_letter
from tests.support.tiers import thin_out
from tests.zoo.cases import SIMULATED, worlds_of, zoo


def there_and_back(message):
    return read_letter(write_letter(message))


def test_a_turn_and_an_answer_come_back_as_they_were():
    case = Case(length=5, world_size=2, features={"lengths": [1, 2, 3, 4, 5]}, options={"deep": 1.5})
    turn = CaseTurn(3, RunCase(case=case, target="t", parcel=b"", experiments=("epochs",)))
    assert there_and_back(turn) == turn
    fault = Fault(experiment="epochs", kind="raised", phase="iter", rank=1, begun=Pass(0, array("q", [1, 2])))
    notes = {"big": 2**64 - 1, 3: {1, 2}, "pairs": ((1, True), None), "number": np.int64(7)}
    record = Record([Pass(0, array("q", [4, 2]), array("q", [2]))], [Length("start", 0, 2)], notes)
    back = there_and_back(Done(records={"epochs": record}, fault=fault))
    assert back.fault == fault
    assert back.fault.begun.items == array("q", [1, 2])
    (own,) = back.records.values()
    assert (own.passes[0].items, own.passes[0].sizes) == (array("q", [4, 2]), array("q", [2]))
    assert (own.lengths, own.notes) == (record.lengths, record.notes)
    assert type(own.lengths[0]) is Length


def test_every_message_of_a_job_can_be_written():
    messages = {
        one
        for one in vars(letters).values()
        if isinstance(one, type) and one.__module__ == letters.__name__ and is_dataclass(one)
    }
    assert messages <= set(CLASSES.values())
    assert len(messages) == 9


@pytest.mark.parametrize("value", [Fraction(1, 2), object(), lambda: 0, np.zeros((2, 2)), type])
def test_what_is_no_plain_data_is_not_written(value):
    with pytest.raises(TypeError, match="cannot be written to a file of --gather"):
        write_letter(Done(records={"epochs": Record(notes={"odd": value})}))


@pytest.mark.parametrize(
    "content",
    [
        pickle.dumps(Beat("here")),
        b"\xc1",
        msgspec.msgpack.encode(["Popen", ["true"]]),
        msgspec.msgpack.encode(["Beat"]),
        msgspec.msgpack.encode(["Beat", "a", "b"]),
        msgspec.msgpack.encode(["Case", -1]),
        msgspec.msgpack.encode(["numbers", "O", b"12345678"]),
        msgspec.msgpack.encode([["list"], 1]),
        b"\x91" * 100_000,
    ],
)
def test_what_nobody_wrote_is_garbled_and_builds_nothing(content):
    with pytest.raises(GarbledError):
        read_letter(content)


BUGS = [pytest.param(one, id=one.SLUG) for one in zoo() if worlds_of(one) == SIMULATED]
USUAL = [name for name in EXPERIMENTS if name not in ("unplaced", "reference")]


def same(one, other) -> bool:
    """Whether two values are alike to the types within."""
    if type(one) is not type(other):
        return False
    if is_dataclass(one):
        return all(same(getattr(one, field.name), getattr(other, field.name)) for field in fields(one))
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, np.ndarray):
        return bool(one.dtype == other.dtype) and one.tobytes() == other.tobytes()
    return bool(one == other)


@pytest.mark.parametrize("bug", thin_out(BUGS, {"token_budget_infinite_loop"}))
def test_what_ranks_of_the_zoo_record_comes_back_as_it_was(bug):
    binding = target_of(Plan(target=bug.bug, contract=Contract(**bug.CONTRACT), axes=bug.AXES)).bind()
    options = {name: values[0] for name, values in bug.AXES.items()}
    case = Case(length=9, world_size=2, batch_size=2, workers=bug.SMALLEST.get("workers", 0), options=options)
    with open_world("simulated") as world:
        trace = world.trace(binding, case, USUAL)
        streamed = world.trace(binding, case, (STREAMED,))
    assert trace.records
    for records in (*trace.records.values(), *streamed.records.values()):
        assert all(same(there_and_back(record), record) for record in records)
