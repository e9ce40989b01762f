"""The words of laws: each names its fault in a few plain words, and speaks of samplers as their users do."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import samplercheck
from samplercheck.explain.causes import CAUSES
from samplercheck.laws import ALL_LAWS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from samplercheck.laws.law import Law

LONGEST = 46
WORDS = r"\b(nobody|vacuous|anew|for ever|theirs|nonsense|otherwise than|mend\w*)\b"
UNPLAIN = re.compile(WORDS, re.IGNORECASE)
ODD = re.compile(r"\b(nobody|told|anew|for ever|theirs|vacuous|whoever|oftener)\b", re.IGNORECASE)
KEPT = re.compile(r"(?<![{\"])\bkept\b(?![}\"])")
"""Not the name of an attribute or of a way in templates; plain words are "stays", "stored", "persistent"."""
PACKAGE = Path(samplercheck.__file__).parent


@pytest.mark.parametrize("law", ALL_LAWS, ids=lambda law: law.code)
def test_a_law_names_its_fault_in_a_few_words(law: Law) -> None:
    assert len(law.fault.split()) > 1
    assert len(law.fault) <= LONGEST
    assert law.fault[0].islower()
    assert law.fault[-1].isalnum()
    assert law.name.replace("-", " ") not in law.fault


def test_no_law_names_what_it_found_in_more_words() -> None:
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in (PACKAGE / "laws").rglob("*.py")]
    named = (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.keyword))
    values = [one for node in named if node.arg == "fault" for one in ast.walk(node.value)]
    texts = [one.value for one in values if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    assert len(texts) > len(ALL_LAWS)
    assert [text for text in texts if len(text) > LONGEST] == []


def test_laws_that_judge_more_than_epochs_say_what_comes_before() -> None:
    """It stands behind "when" on the first screen, in front of the sizes."""
    events = {law.code: law.event for law in ALL_LAWS if law.event}
    assert all(re.match("(after|in|over|with) ", event) and len(event) < 51 for event in events.values())
    stopped = {"resumed", "resumed_again", "elastic", "foreign", "delivered"}
    assert {law.code for law in ALL_LAWS if stopped & {*law.reads}} <= events.keys()
    assert {"SC502", "SC503", "SC504", "SC802", "SC803"} <= events.keys()


def test_no_two_laws_have_the_same_fault() -> None:
    assert len({law.fault for law in ALL_LAWS}) == len(ALL_LAWS)


def test_laws_and_causes_speak_plainly() -> None:
    texts = [text for law in ALL_LAWS for text in (law.fault, law.statement, law.why, law.fix, law.intended)]
    texts += [text for one in CAUSES for text in (one.sentence, one.fix, *one.words.values())]
    assert {text for text in texts if UNPLAIN.search(text)} == set()


def sentences_of(path: Path) -> Iterator[str]:
    """Yield what a file may put on a screen: its texts of several words, of verbs the help as well."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    bare = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value:
            if id(node) not in bare:
                yield node.value
        elif isinstance(node, ast.FunctionDef) and node.name == "command" and path.parent.name == "cli":
            yield ast.get_docstring(node) or ""


@pytest.mark.thorough
def test_every_text_of_the_package_and_its_templates_speaks_plainly() -> None:
    found = {
        f"{path.name}: {text}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for text in sentences_of(path)
        if ODD.search(text) or KEPT.search(text)
    }
    pages = sorted(PACKAGE.rglob("*.jinja"))
    assert pages
    texts = {path.name: path.read_text(encoding="utf-8") for path in pages}
    found |= {name for name, text in texts.items() if ODD.search(text) or KEPT.search(text)}
    assert found == set()
