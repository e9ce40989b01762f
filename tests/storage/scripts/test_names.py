"""Each name that a script's text or a value asks for is one that there is, after a rename as well."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from samplercheck.storage import scripts
from samplercheck.storage.scripts._checks import CHECKS
from samplercheck.storage.scripts._filling import CONDITION, Filling
from samplercheck.storage.scripts._steps import PIECES, STEPS
from samplercheck.storage.scripts._values import VALUES

FOLDER = Path(scripts.__file__).parent


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
    lines = [line for text in (*PIECES.values(), *CHECKS.values()) for line in text.splitlines()]
    lines += [line for steps in STEPS.values() for line in steps.lines.splitlines()]
    asked = {name for line in lines for name in re.findall(r"\$(\w+)", line)}
    while found := [*filter(None, map(CONDITION.fullmatch, lines))]:
        asked |= {one[3] for one in found}
        lines = [one[5] for one in found]
    return asked


def test_every_name_is_known() -> None:
    known = {*VALUES, *PIECES, *dir(Filling), *set_by_itself()}
    asked = asked_by_values() | asked_by_texts()
    assert len(asked) > len(VALUES) // 2
    assert asked - known == set()
