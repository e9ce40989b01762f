"""The public names: few, real, light to import; and every module can be imported and says what it is for."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pkgutil import walk_packages
from types import ModuleType

import pytest

import samplercheck as sc

HEAVY = ("torch", "numpy", "hypothesis", "pytest")
MODULES = [
    module.name
    for module in walk_packages(sc.__path__, "samplercheck.")
    if not module.name.endswith("__main__")
]


def in_a_child(code):
    """What a fresh interpreter prints after running the code."""
    run = subprocess.run(  # the child must not inherit what pytest has imported
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120
    )
    assert run.stderr == ""
    return run.stdout.split()


def test_there_are_at_most_twenty_public_names_sorted_and_distinct():
    assert len(sc.__all__) <= 20
    assert sc.__all__ == sorted(set(sc.__all__))


@pytest.mark.parametrize("name", sc.__all__)
def test_a_public_name_is_what_its_module_defines(name):
    value = getattr(sc, name)
    home = sc._HOMES[name]
    if isinstance(value, ModuleType):
        assert value is import_module(home)
        assert value.__name__ == home
    else:
        assert value is getattr(import_module(home), name)
        assert value.__name__ == name
        assert value.__module__.startswith(home)
        assert name in import_module(home).__all__


def test_every_public_name_has_a_home_and_a_docstring():
    assert sorted(sc._HOMES) == sc.__all__
    assert [name for name in sc.__all__ if not (getattr(sc, name).__doc__ or "").strip()] == []


def test_dir_shows_the_public_names_alone():
    assert dir(sc) == sorted([*sc.__all__, "__version__"])


def test_a_name_that_does_not_exist_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'samplercheck' has no attribute 'Smapler'"):
        sc.Smapler  # noqa: B018


def test_a_star_import_gives_the_public_names():
    scope = {}
    exec("from samplercheck import *", scope)
    assert scope.keys() - {"__builtins__"} == set(sc.__all__)


@pytest.mark.parametrize(
    "use",
    [
        "",
        "samplercheck.Contract.torch(); samplercheck.Case(length=3).token",
        "samplercheck.Case.parse('n=3').id; samplercheck.SamplerCheckError; samplercheck.Outcome.HOLDS",
        "samplercheck.target(lambda length: range(length)).bind(); samplercheck.Violation(found='')",
        "samplercheck.LawBroken; samplercheck.Report",
    ],
)
def test_importing_the_package_and_its_plain_values_loads_nothing_heavy(use):
    loaded = in_a_child(f"import sys, samplercheck\n{use}\nprint(*sys.modules)")
    assert "samplercheck" in loaded
    assert [name for name in HEAVY if name in loaded] == []


def test_traces_and_laws_load_neither_torch_nor_hypothesis():
    loaded = in_a_child("import sys, samplercheck\nsamplercheck.Trace, samplercheck.law\nprint(*sys.modules)")
    assert "samplercheck.laws" in loaded
    assert [name for name in ("torch", "hypothesis", "pytest") if name in loaded] == []


@pytest.mark.parametrize("name", MODULES)
def test_a_module_can_be_imported_says_what_it_is_for_and_defines_what_it_lists(name):
    module = import_module(name)
    assert len((module.__doc__ or "").strip()) > 20
    assert [public for public in getattr(module, "__all__", ()) if not hasattr(module, public)] == []


@pytest.mark.thorough
def test_all_modules_can_be_imported_in_a_fresh_process():
    code = f"import importlib\nprint(len([importlib.import_module(name) for name in {MODULES}]))"
    assert in_a_child(code) == [str(len(MODULES))]
    assert len(MODULES) > 50
