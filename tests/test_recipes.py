"""What CONTRIBUTING.md tells people to do has been done, and what pages say of the tree is true of it."""

from __future__ import annotations

import ast
import re
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import samplercheck
from samplercheck.experiments import EXPERIMENTS
from samplercheck.laws import ALL_LAWS
from samplercheck.laws.own import READABLE
from samplercheck.worlds import WORLDS
from tests.zoo.cases import zoo

if TYPE_CHECKING:
    from samplercheck.laws.law import Law

PACKAGE = Path(samplercheck.__file__).parent
TESTS = Path(__file__).parent
ROOT = TESTS.parent
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
ARCHITECTURE = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
PAGES = sorted(
    path for places in ("*.md", "docs/*.md", ".ci/*", ".github/*/*.yml") for path in ROOT.glob(places)
)
PATH = r"(?:\.ci/\w+|\w+(?:/[\w.]+)*(?:/|\.py|\.md|\.toml|\.txt)(?::[\w.]+)?)"
"""A path on a page, with a function of the file if there is one; ``laws/<property>.py`` names none."""
OURS = r"(?<![\w/.])((?:tests|docs|examples|\.ci|\.github)/[\w./*-]*)(?![\w./*<-])"
CITED = r"docs/rules\.md ([A-E]\d+(?:(?:, | and | to )[A-E]\d+)*)"
OF_USERS = {"tests/test_regression.py"}
"""Files that pages let users write."""
NO_ROOMS = {"schemas/", "py.typed", "__pycache__/"}
MODULES = sorted(PACKAGE.rglob("*.py"))
LONGEST = 260
CODES = [one.code for one in ALL_LAWS]
NOT_LAWS = {"law", "selection", "own", "frequencies", "shares", "twins"}
"""What a law is, which ones are run, those of the user, and what other rooms ask as well."""
NOT_WORLDS = {"calling"}  # carries a function of a user's test to any of them
NAME_LAWS = ("laws/", "explain/causes/", "certifying/faults/")
"""Where laws may be named by code."""


def module_of(one: Law) -> str:
    return one.judge.__module__.rpartition(".")[2]


def open_modules(folder: str) -> set[str]:
    """Name the modules of a folder whose names begin with no underscore."""
    return {path.stem for path in (PACKAGE / folder).glob("[!_]*.py")}


def codes_in(path: Path) -> list[str]:
    """Name the codes of laws that stand in a module as texts of their own."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    texts = [node.value for node in nodes if isinstance(node, ast.Constant)]
    return [text for text in texts if isinstance(text, str) and re.fullmatch(r"SC\d{3,4}", text)]


# I'm adding a law


def test_codes_are_unique_and_in_order() -> None:
    assert sorted(set(CODES), key=lambda code: (len(code), code)) == CODES


def test_names_are_unique() -> None:
    names = [one.name for one in ALL_LAWS]
    assert len(set(names)) == len(names)


def test_every_law_module_is_listed_and_what_is_no_law_is_underscored() -> None:
    assert {module_of(one) for one in ALL_LAWS} == open_modules("laws") - NOT_LAWS


@pytest.mark.parametrize("one", ALL_LAWS, ids=CODES)
def test_every_law_is_written_out(one: Law) -> None:
    assert re.fullmatch(r"SC\d{3,4}", one.code)
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", one.name)
    assert one.statement.endswith(".")
    assert "[" not in one.statement
    assert one.consequence
    assert one.why
    assert one.fix


@pytest.mark.parametrize("one", ALL_LAWS, ids=CODES)
def test_every_law_stands_last_in_a_file_that_bears_its_name_and_code(one: Law) -> None:
    assert one.name.replace("-", "_").startswith(module_of(one))
    tree = ast.parse((PACKAGE / "laws" / f"{module_of(one)}.py").read_text(encoding="utf-8"))
    last = tree.body[-1]
    assert isinstance(last, ast.Assign)
    assert [target.id for target in last.targets if isinstance(target, ast.Name)] == ["LAW"]
    assert one.code in (ast.get_docstring(tree) or "")


@pytest.mark.parametrize("one", ALL_LAWS, ids=CODES)
def test_every_law_reads_experiments_that_exist(one: Law) -> None:
    assert one.reads
    assert set(one.reads) <= set(EXPERIMENTS)


@pytest.mark.parametrize("one", ALL_LAWS, ids=CODES)
def test_every_law_has_its_tests(one: Law) -> None:
    assert (TESTS / "laws" / f"test_{module_of(one)}.py").is_file()


@pytest.mark.parametrize("one", ALL_LAWS, ids=CODES)
def test_every_law_has_its_bug_in_the_zoo(one: Law) -> None:
    """What is only advice breaks no run, and so no file can expect it."""
    expected = [module.SLUG for module in zoo() if one.code in module.EXPECT]
    assert bool(expected) is not one.advice


@pytest.mark.parametrize("one", ALL_LAWS, ids=CODES)
def test_no_experiment_says_that_a_law_reads_it_which_does_not(one: Law) -> None:
    for name in EXPERIMENTS:
        assert one.code not in re.findall(r"SC\d{3,4}", text_of(name)) or name in one.reads


@pytest.mark.thorough
def test_laws_are_named_by_code_only_where_each_law_has_its_place() -> None:
    """What is true of a law stands in the law: elsewhere a field of it is asked, or its module imported."""
    paths = {path.relative_to(PACKAGE).as_posix(): path for path in MODULES}
    found = {name: codes_in(path) for name, path in paths.items() if not name.startswith(NAME_LAWS)}
    assert {name: codes for name, codes in found.items() if codes} == {}


# I'm adding an experiment


def text_of(name: str) -> str:
    """What an experiment says of itself: its function, and the module of one that has a module to itself."""
    run = EXPERIMENTS[name]
    alone = [one for one in EXPERIMENTS.values() if one.__module__ == run.__module__] == [run]
    return ((alone and sys.modules[run.__module__].__doc__) or "") + (run.__doc__ or "")


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_says_its_name_and_stands_in_a_file_of_the_room(name: str) -> None:
    assert f"Experiment ``{name}``: " in text_of(name)
    module = EXPERIMENTS[name].__module__
    assert module.rpartition(".")[0] == "samplercheck.experiments"
    assert module.rpartition(".")[2] in open_modules("experiments")


def test_every_experiment_that_says_its_name_is_listed() -> None:
    texts = [path.read_text(encoding="utf-8") for path in (PACKAGE / "experiments").glob("*.py")]
    assert set(re.findall(r"\"\"\"Experiment ``(\w+)``: ", "".join(texts))) == set(EXPERIMENTS)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_is_read_by_some_law(name: str) -> None:
    assert [one.code for one in ALL_LAWS if name in one.reads]


def test_the_readable_experiments_are_the_experiments() -> None:
    assert list(READABLE) == list(EXPERIMENTS)


# I'm adding a world


def test_every_world_is_listed() -> None:
    assert set(WORLDS) == open_modules("worlds") - NOT_WORLDS


@pytest.mark.parametrize("name", WORLDS)
def test_every_world_can_be_imported_and_has_what_the_protocol_asks_for(name: str) -> None:
    module, _, attribute = WORLDS[name].partition(":")
    world = getattr(import_module(module), attribute)
    assert world.name == name
    missing = [method for method in ("__enter__", "__exit__", "trace") if not hasattr(world, method)]
    assert missing == []
    assert (TESTS / "worlds").is_dir()


# The house


def test_the_table_of_the_architecture_has_every_room_and_door_of_the_package() -> None:
    homes = {path.name + "/" * path.is_dir() for path in PACKAGE.iterdir()}
    rows = re.findall(r"^\| `([\w./]+)` \|", section(ARCHITECTURE, "The rooms"), flags=re.MULTILINE)
    assert sorted(rows) == sorted(homes - NO_ROOMS)


def test_the_order_of_the_architecture_is_the_one_that_the_imports_keep() -> None:
    layers = re.search(
        r"^layers = \[(.*?)^\]",
        (ROOT / "pyproject.toml").read_text(encoding="utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    assert layers is not None
    lines = re.findall(r"^    (\w+(?: \| \w+)*)", section(ARCHITECTURE, "The rooms"), flags=re.MULTILINE)
    assert lines == re.findall(r"\"([^\"]+)\"", layers[1])


def section(page: str, title: str) -> str:
    """Cut one section out of a page."""
    return page.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def exists(name: str) -> bool:
    return any((place / name).exists() for place in (ROOT, PACKAGE))


@pytest.mark.parametrize("page", [ARCHITECTURE, CONTRIBUTING], ids=["architecture", "contributing"])
def test_every_file_and_function_that_a_page_for_contributors_names_exists(page: str) -> None:
    named = [word for word in re.findall(r"`([^`\n]+)`", page) if re.fullmatch(PATH, word)]
    assert len(named) > 10
    assert [word for word in named if not exists(word.partition(":")[0])] == []
    assert [word for word in named if ":" in word and word.partition(":")[2] not in names_in(word)] == []


def names_in(word: str) -> set[str]:
    """Name the functions and classes, and the methods of these, of the file of ``file.py:function``."""
    tree = ast.parse((PACKAGE / word.partition(":")[0]).read_text(encoding="utf-8"))
    names = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    methods = [(one.name, node) for one in classes for node in one.body if isinstance(node, ast.FunctionDef)]
    return names | {f"{name}.{node.name}" for name, node in methods}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_what_pages_and_workflows_say_of_our_folders_is_there(path: Path) -> None:
    words = re.findall(OURS, path.read_text(encoding="utf-8"))
    named = {word.rstrip(".") for word in words} - OF_USERS
    assert [one for one in named if not list(ROOT.glob(one)) and not exists(one)] == []


def test_every_rule_that_code_cites_is_on_the_page_of_rules() -> None:
    page = (ROOT / "docs/rules.md").read_text(encoding="utf-8")
    rules = set(re.findall(r"^- \*\*([A-E]\d+)", page, flags=re.MULTILINE))
    cited = [
        (path.relative_to(ROOT).as_posix(), rule)
        for path in [*MODULES, *TESTS.rglob("*.py"), ROOT / "CONTRIBUTING.md", ROOT / "docs/architecture.md"]
        for rules_cited in re.findall(CITED, path.read_text(encoding="utf-8"))
        for rule in re.findall(r"[A-E]\d+", rules_cited)
    ]
    assert cited
    assert [one for one in cited if one[1] not in rules] == []


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_says_what_it_is_for_in_six_lines_and_is_not_long(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert 1 <= len((ast.get_docstring(ast.parse(text)) or "").splitlines()) <= 6
    assert len(text.splitlines()) <= LONGEST
