"""Which object it is that cannot travel, and who holds it."""

from __future__ import annotations

import re
import socket
import threading
import types
from functools import partial

import pytest

import samplercheck as sc
from samplercheck.targets.parcel import pack
from samplercheck.values.errors import TargetError
from tests.targets.importable import Share, share


def holding(value):
    """Return a factory that closes over ``value``."""

    def build(rank):
        return [rank, value]

    return build


class Slotted:
    """Holds something where ``vars`` does not look."""

    __slots__ = ("held",)

    def __init__(self, held):
        self.held = held


def test_each_object_that_cannot_travel_is_named_with_the_way_to_it(tmp_path):
    lock, numbers = threading.Lock(), (one for one in ())
    file = (tmp_path / "file").open("w")
    read = (tmp_path / "file").open()
    connection = socket.socket()

    def with_default(rank, link=connection):
        return [rank]

    def with_keyword(rank, *, link=connection):
        return [rank]

    def mutual(rank):
        return other, lock

    def other():
        return mutual

    complaints = (
        (holding(lock), r"its factory, variable 'value', is a _thread\.lock \(TypeError: cannot pickle"),
        (holding(file), r"variable 'value', is a _io\.TextIOWrapper \(PicklingError: an open file belongs"),
        (holding(read), r"variable 'value', is a _io\.TextIOWrapper \(PicklingError: an open file belongs"),
        (holding(numbers), r"variable 'value', is a generator "),
        (holding([0, {"deep": (lock,)}]), r"'value', item 1, item 'deep', item 0, is a _thread\.lock"),
        (holding(Slotted(lock)), r"variable 'value', attribute 'held', is a _thread\.lock"),
        (with_default, r"its factory, default of 'link', is a socket\.socket"),
        (with_keyword, r"its factory, default of 'link', is a socket\.socket"),
        (partial(share, length=lock), r"its factory, argument 'length', is a _thread\.lock"),
        (Share(start=lock).build, r"its factory, instance, attribute 'start', is a _thread\.lock"),
        (mutual, r"its factory, variable 'lock', is a _thread\.lock"),
    )
    with file, read, connection:
        for factory, pattern in complaints:
            binding = sc.target(factory, name="my:build").bind()
            with pytest.raises(TargetError, match=r"^my:build cannot travel to another process: ") as caught:
                pack(binding)
            assert re.search(pattern, str(caught.value)), str(caught.value)
            assert "Make it inside the factory" in str(caught.value)


def test_a_class_and_a_global_variable_that_cannot_travel_are_named():
    made = types.ModuleType("parcel_holds")
    code = "class Mine:\n    def __init__(self, rank): pass\n    def __iter__(self): return iter([LOCK])"
    exec(code, {**vars(made), "LOCK": threading.Lock()}, names := {"__name__": "parcel_holds"})
    with pytest.raises(TargetError, match=r"attribute '__iter__', global variable 'LOCK', is a _thread"):
        pack(sc.target(names["Mine"]).bind())


def test_a_rule_of_the_contract_that_cannot_travel_is_named():
    lock = threading.Lock()
    contract = sc.Contract(batch_rule=lambda batch, _: lock.locked())
    with pytest.raises(TargetError, match=r"contract, attribute 'batch_rule', variable 'lock', is a _thr"):
        pack(sc.target(share, contract=contract).bind())


def test_an_object_that_refuses_with_an_error_of_its_own_is_named():
    class Refuses:
        def __reduce_ex__(self, protocol):
            raise RuntimeError("not me")

    with pytest.raises(TargetError, match=r"variable 'value', is a .*Refuses \(RuntimeError: not me\)"):
        pack(sc.target(holding(Refuses())).bind())
