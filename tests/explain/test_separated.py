"""Each object has containers of its own, where its class keeps some for all."""

from __future__ import annotations

from samplercheck import Case
from samplercheck.explain.change import own_containers
from samplercheck.targets.target import as_target


class Noted:
    seen: list[int] = []  # noqa: RUF012  (what the change is about)
    names = ("one",)

    def __init__(self, length: int) -> None:
        self.length = length
        self.mine = self.seen


def test_what_stands_in_the_class_is_another_one_in_each_object() -> None:
    change, case = own_containers.rebuild, Case(length=3, world_size=1)
    assert change is not None
    binding = as_target(Noted).bind()
    one, two = (change(binding, case, 0, {}) for _ in range(2))
    one.seen.append(1)
    assert (one.mine, two.mine, two.seen, Noted.seen) == ([1], [], [], [])
    assert one.names is Noted.names


def test_what_keeps_nothing_in_its_class_is_built_as_ever() -> None:
    def build(length: int) -> range:
        return range(length)

    assert own_containers.rebuild is not None
    assert own_containers.rebuild(as_target(build).bind(), Case(length=3, world_size=1), 0, {}) == range(3)
