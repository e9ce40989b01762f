"""The house: fifteen rooms and their doors, private modules that stay private, functions named by verbs."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import samplercheck
from samplercheck.values.choices import FEATURES
from samplercheck.worlds import GROUPS

PACKAGE = Path(samplercheck.__file__).parent
ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("docs/*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"])
MODULES = sorted(PACKAGE.rglob("*.py"))
EXAMPLES = sorted([*ROOT.glob("examples/**/*.py"), *ROOT.glob("examples/**/*.toml"), ROOT / "CHANGELOG.md"])
ROOMS = {
    "certifying",
    "cli",
    "engine",
    "experiments",
    "explain",
    "laws",
    "pytesting",
    "reports",
    "running",
    "search",
    "storage",
    "targets",
    "training",
    "values",
    "worlds",
}
DOORS = {"__init__.py", "__main__.py", "errors.py", "pytest_plugin.py", "rules.py"}
NO_CODE = {"schemas", "py.typed", "__pycache__"}
UPWARDS = {
    ("values/law_result.py", "laws.law"),
    ("values/report.py", "laws.law"),
    ("values/report.py", "reports"),
    ("values/report.py", "storage.report_file"),
}
"""A report holds laws, saves itself and shows itself: it names them when it is asked, or for types alone."""
HOMES = {
    frozenset(FEATURES): {"values/choices.py", "laws/keeps_batch_rule.py", "laws/shares.py"},
    frozenset(GROUPS): {"worlds/__init__.py"},
}
LONGEST, SHORTEST = 260, 30
ECHO = 14
"""So many lines in a row, imports left out, that stand in two files are one thing with two homes."""
TABLES = {"worlds/gloo.py"}
"""Short files that stay: a world is a file of its own, so that ``WORLDS`` can name it."""
MOST_PARTICIPLES = 0.03
IRREGULAR = frozenset(
    re.findall(
        r"[a-z]+",
        """
    begun born bound bought broken brought built caught chosen dealt done drawn driven fallen forgotten found
    frozen given gone held hidden kept known laid led left lost made meant met named said seen sent shown sold
    spent spoken stolen stood taken taught thought thrown told won worn written
""",
    )
)
NOT_PARTICIPLES = frozenset(["embed", "exceed", "feed", "need", "proceed", "seed", "speed"])
ODD_WORDS = re.compile(
    r"\b(nursery|newborn|unborn|eldest|hush\w*|bury|buried|leash\w*|mended|mending|mends|anew|oftener|thrice"
    r"|whoever|for ever|theirs|for as long as he lives|nobody's home|err about"
    r"|hearth|inquest|errand|haste|hasty)\b",
    re.IGNORECASE,
)


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def place(path: Path) -> str:
    return path.relative_to(PACKAGE).as_posix()


def test_the_package_holds_its_rooms_and_doors_alone() -> None:
    found = {path.name for path in PACKAGE.iterdir()} - NO_CODE
    assert found == ROOMS | DOORS


def imported(path: Path) -> set[str]:
    """Name the modules of the kit that a file imports, wherever in it and for whatever purpose."""
    names = set()
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return {name for name in names if name.startswith("samplercheck.") and is_module(name)}


def is_module(name: str) -> bool:
    inside = PACKAGE.parent.joinpath(*name.split("."))
    return inside.is_dir() or inside.with_suffix(".py").is_file()


def test_no_private_module_is_imported_from_outside_of_its_folder() -> None:
    found = []
    for path in MODULES:
        here = f"samplercheck/{place(path)}"
        homes = [(name, name.split("._")[0].replace(".", "/")) for name in imported(path) if "._" in name]
        found += [f"{place(path)} imports {name}" for name, home in homes if not here.startswith(f"{home}/")]
    assert found == []


def test_imports_keep_the_order_of_the_rooms_for_types_and_in_functions_too() -> None:
    layers = re.search(
        r"^layers = \[(.*?)^\]", (ROOT / "pyproject.toml").read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    assert layers is not None
    lines = [line.split(" | ") for line in re.findall(r"\"([^\"]+)\"", layers[1])]
    level = {name: height for height, names in enumerate(lines) for name in names}
    found = set()
    for path in MODULES:
        room = place(path).split("/")[0].removesuffix(".py")
        names = {name.removeprefix("samplercheck.") for name in imported(path)}
        found |= {
            (place(path), name)
            for name in names
            if room in level and (to := name.split(".")[0]) in level and level[to] < level[room]
        }
    assert found == UPWARDS


def test_what_is_named_in_one_place_is_listed_nowhere_else() -> None:
    lists = [
        (place(path), {item.value for item in node.elts if isinstance(item, ast.Constant)})
        for path in MODULES
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Tuple | ast.List | ast.Set) and len(node.elts) > 1
    ]
    for names, homes in HOMES.items():
        assert {where for where, listed in lists if listed == names} == homes


def test_no_file_is_long_and_none_a_scrap() -> None:
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert [place(path) for path, length in lengths.items() if length > LONGEST] == []
    scraps = [place(path) for path, length in lengths.items() if length < SHORTEST]
    assert [one for one in scraps if not one.endswith("__init__.py") and one not in TABLES | DOORS] == []


def test_nothing_long_is_said_twice() -> None:
    homes: dict[str, set[Path]] = {}
    for path in [*MODULES, *ROOT.glob("tests/**/*.py")]:
        lines = map(str.strip, path.read_text(encoding="utf-8").splitlines())
        said = [line for line in lines if line and not line.startswith(("import ", "from ", "#"))]
        for at in range(len(said) - ECHO + 1):
            homes.setdefault("\n".join(said[at : at + ECHO]), set()).add(path)
    assert [text for text, where in homes.items() if len(where) > 1] == []


def is_named_by_a_participle(name: str) -> bool:
    first = name.strip("_").split("_")[0]
    return first in IRREGULAR or (len(first) > 3 and first.endswith("ed") and first not in NOT_PARTICIPLES)


def test_functions_are_named_by_verbs() -> None:
    names = [
        node.name
        for path in MODULES
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    named = [name for name in names if is_named_by_a_participle(name)]
    assert len(named) < MOST_PARTICIPLES * len(names), named


def test_classes_exist_once() -> None:
    homes: dict[str, list[str]] = {}
    for path in MODULES:
        for node in tree_of(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(place(path))
    assert {name: where for name, where in homes.items() if len(where) > 1} == {}


@pytest.mark.parametrize(
    "path", [*MODULES, *PAGES, *EXAMPLES], ids=lambda path: path.relative_to(ROOT).as_posix()
)
def test_words_are_those_of_today(path: Path) -> None:
    text = re.sub(r'"\s*\n\s*f?"', "", path.read_text(encoding="utf-8"))  # sentences go on in the next string
    assert ODD_WORDS.findall(" ".join(text.split())) == []
