"""What a module's code keeps from one object to the next is named, and put back."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from samplercheck.targets.leftovers import LARGEST, MOST, Leftovers
from samplercheck.targets.locate import locate

SOURCE = """
CACHE = {}
ORDER = [1]
SIZE = 3
UNSEEN = (lambda: 0)

class Kept:
    last = None

def takes(item, seen=[]):
    seen.append(item)
"""


@pytest.fixture
def module(monkeypatch):
    made = ModuleType("module_of_leftovers")
    monkeypatch.setitem(sys.modules, made.__name__, made)
    exec(compile(SOURCE, "module_of_leftovers.py", "exec"), made.__dict__)
    return made


@pytest.mark.thorough
def test_globals_class_attributes_and_defaults_are_named_and_put_back(module):
    cache, states = module.CACHE, Leftovers(module)
    assert states.list_changed() == ()
    module.CACHE["a"] = 1
    module.ORDER.append(2)
    module.SIZE = 4
    module.Kept.last = module.CACHE
    module.takes(1)
    changed = states.list_changed()
    assert set(changed) == {
        "the global module_of_leftovers.CACHE",
        "the global module_of_leftovers.ORDER",
        "the global module_of_leftovers.SIZE",
        "the class attribute Kept.last",
        "a default of takes()",
    }
    states.put_back(changed)
    assert states.list_changed() == ()
    assert cache is module.CACHE == {}
    assert (module.ORDER, module.SIZE, module.Kept.last, module.takes.__defaults__) == ([1], 3, None, ([],))


def test_a_global_of_a_file_is_named_by_the_file_and_not_by_what_it_is_loaded_as(tmp_path):
    path = tmp_path / "samplers.py"
    path.write_text(SOURCE)
    module = sys.modules[locate(f"{path}:takes").__module__]
    states = Leftovers(module)
    vars(module)["SIZE"] = 4
    assert states.list_changed() == ("the global samplers.SIZE",)


def test_the_own_module_is_seen_in_a_project_of_many_names(module, monkeypatch):
    crowd = ModuleType("crowd")
    crowd.__file__ = "crowd.py"
    vars(crowd).update({f"name_{number}": number for number in range(MOST)})
    monkeypatch.setattr(sys, "modules", {"crowd": crowd, **sys.modules})
    states = Leftovers(module)
    module.SIZE = 4
    assert states.list_changed() == ("the global module_of_leftovers.SIZE",)


@pytest.mark.thorough
def test_what_is_not_named_stays_as_it_is(module):
    states = Leftovers(module)
    module.SIZE, module.ORDER[:] = 5, [7]
    states.put_back(("the global module_of_leftovers.SIZE",))
    assert (module.SIZE, module.ORDER) == (3, [7])


@pytest.mark.thorough
def test_what_is_too_large_or_no_data_is_not_looked_at(module):
    module.LARGE = b"0" * 20_000_000
    states = Leftovers(module)
    module.LARGE, module.UNSEEN = b"", None
    assert states.list_changed() == ()


class Sealed(type):
    is_open = True

    def __setattr__(cls, name, value):
        if not Sealed.is_open:
            raise AttributeError(name)
        super().__setattr__(name, value)


def test_what_holds_too_much_is_not_seen_and_what_cannot_be_set_stays(module, monkeypatch):
    module.LARGE = {"samples": [bytes(LARGEST)]}
    module.Closed = Sealed("Closed", (), {"last": 1, "__module__": module.__name__})
    states = Leftovers(module)
    module.LARGE["samples"].append(1)
    module.Closed.last = 2
    assert states.list_changed() == ("the class attribute Closed.last",)
    monkeypatch.setattr(Sealed, "is_open", False)
    states.put_back(states.list_changed())
    assert module.Closed.last == 2
