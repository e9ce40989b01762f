"""Each name that a script's text or a value asks for is one that there is, after a rename as well."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from jinja2 import meta

from samplercheck.storage import scripts
from samplercheck.storage.scripts._case_text import CaseText
from samplercheck.storage.scripts._filling import Filling
from samplercheck.storage.scripts._texts import PIECES, RECIPES, SECTIONS, Steps
from samplercheck.storage.scripts._values import VALUES
from samplercheck.storage.templates import CONDITION, ENVIRONMENT
from samplercheck.targets.locate import Place

FOLDER = Path(scripts.__file__).parent
GIVEN = {
    *("first", "key", "moves_on", "shuffles", "varies", "is_watched"),
    *("it", "is_inside", "is_first", "changes"),
    *("numbers", "lines", *Steps._fields, "inside", "after", "number", "node", "twice"),
}
"""What is handed in where helpers are defined, epochs begin or a file is made."""


def set_by_itself() -> set[str]:
    """Names that a filling gives itself, also in tuples and in what it inherits from."""
    trees = (ast.parse((FOLDER / name).read_text()) for name in ("_filling.py", "_case_text.py"))
    nodes = (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Attribute))
    return {one.attr for one in nodes if isinstance(one.ctx, ast.Store) and ast.unparse(one.value) == "self"}


def asked_by_values() -> set[str]:
    tree = ast.parse((FOLDER / "_values.py").read_text())
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Attribute))
    return {node.attr for node in nodes if ast.unparse(node.value) == "t"}


def asked_by_texts() -> set[str]:
    lines = [line for _, _, text in SECTIONS for line in text.splitlines()]
    found = [one for line in lines if (one := CONDITION.fullmatch(line))]
    conditions = {one[2].removeprefix("else") for one in found} | {one.needs for one in RECIPES.values()}
    lines += [f"${{{condition}}}" for condition in conditions if condition]
    return set().union(*(meta.find_undeclared_variables(ENVIRONMENT.parse(line)) for line in lines))


def test_no_value_or_piece_is_hidden_by_an_attribute() -> None:
    """A name is looked up among them only where a filling has nothing of that name."""
    assert {*VALUES, *PIECES} & {*dir(Filling), *set_by_itself()} == set()
    assert VALUES.keys() & PIECES.keys() == set()


def test_every_name_is_known() -> None:
    known = {*VALUES, *PIECES, *dir(Filling), *set_by_itself(), *ENVIRONMENT.globals, *GIVEN}
    asked = asked_by_values() | asked_by_texts()
    assert len(asked) > len(VALUES) // 2
    assert asked - known == set()


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("mypkg.samplers:Cyclic", "Cyclic"),
        ("mypkg.samplers:passes", "target"),  # a script says it itself
        ("mypkg.samplers:Counter.make", "target"),  # and imports this
        ("torch.utils.data:BatchSampler", "BatchSampler"),  # which is the same
    ],
)
def test_what_a_script_says_itself_is_imported_by_another_name(place: str, name: str) -> None:
    text = CaseText.__new__(CaseText)
    text.place = Place.of(place)
    assert text.target == name
    given = f" as {name}" * (text.place.root != name)
    assert text.import_target()[-1] == f"from {text.place.importable} import {text.place.root}{given}"
