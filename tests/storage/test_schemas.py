"""The published JSON Schemas are what the types say, and what the kit writes is valid by them."""

from __future__ import annotations

import json
import re
import runpy
import sys
import textwrap
from pathlib import Path

import jsonschema
import msgspec
import pytest
from hypothesis import given, settings

import samplercheck
import samplercheck as sc
from samplercheck import Case
from samplercheck.certifying.form import ResultStatement, ScopeStatement
from samplercheck.running.config.settings import SETTINGS
from samplercheck.running.config.targets import KEYS
from samplercheck.storage.case_file import StoredCase
from samplercheck.storage.report_file import as_json
from samplercheck.training.ledger_file import MAGIC
from tests.storage.test_case_file import breaches
from tests.storage.test_report_reading import full, old
from tests.support import handmade
from tests.support.awkward import hostile
from tests.support.certificates import certificate
from tests.support.strategies import any_cases

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

SCRIPT = runpy.run_path(str(Path(__file__).parents[2] / ".ci" / "schemas"))
PUBLISHED = Path(samplercheck.__file__).parent / "schemas"
VALIDATOR = jsonschema.Draft202012Validator(json.loads((PUBLISHED / "report-2.json").read_text()))


def test_every_published_schema_is_made_by_the_script() -> None:
    assert {path.name for path in PUBLISHED.glob("*.json")} == set(SCRIPT["SCHEMAS"])


@pytest.mark.parametrize("name", SCRIPT["SCHEMAS"])
def test_a_published_schema_is_made_from_the_types(name: str) -> None:
    assert (PUBLISHED / name).read_text() == SCRIPT["schema_text"](name)
    schema = json.loads(SCRIPT["schema_text"](name))
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$id"] == SCRIPT["SCHEMAS"][name][0]


def test_the_statements_that_the_kit_writes_are_of_their_types() -> None:
    msgspec.json.decode(certificate().scope, type=ScopeStatement)
    msgspec.json.decode(certificate().test, type=ResultStatement)


@pytest.mark.parametrize("path", sorted(PUBLISHED.glob("*.json")), ids=lambda path: path.stem)
def test_what_has_a_pattern_ends_where_the_pattern_does(path: Path) -> None:
    patterns = re.findall(r'"pattern": (".*")', path.read_text())
    assert patterns or path.stem == "ledger-header-1"
    assert all(json.loads(one).endswith(r"$(?!\n)") for one in patterns)


@pytest.mark.parametrize("make", [handmade.mixed, handmade.clean, handmade.undecided, full, hostile])
def test_reports_are_valid(make) -> None:
    VALIDATOR.validate(json.loads(as_json(make())))


@pytest.mark.parametrize(
    "change", [{"format": 1}, {"format": 3}, {"news": 1}, {"target": None}, {"ok": 1}], ids=str
)
def test_what_is_no_report_of_this_format_is_invalid(change) -> None:
    assert not VALIDATOR.is_valid({**handmade.mixed(), **change})
    assert not VALIDATOR.is_valid(old())


def valid_by(name: str, content: bytes) -> bool:
    """Whether the content of a file is valid by a published schema."""
    schema = json.loads((PUBLISHED / name).read_text())
    return bool(jsonschema.Draft202012Validator(schema).is_valid(json.loads(content)))


@settings(max_examples=50)
@given(case=any_cases(), breach=breaches)
def test_stored_cases_are_valid(case, breach) -> None:
    assert valid_by("case-1.json", StoredCase(case, (breach,)).encode())


@pytest.mark.parametrize("change", [{"format": 2}, {"case": {"format": 1}}, {"more": 1}], ids=str)
def test_what_is_no_stored_case_is_invalid(change) -> None:
    plain = json.loads(StoredCase(Case(length=3), ()).encode())
    assert not valid_by("case-1.json", json.dumps({**plain, **change}).encode())


def test_the_header_and_the_key_of_a_ledger_are_valid(tmp_path) -> None:
    for _ in sc.watch(range(3), tmp_path):
        pass
    (path,) = tmp_path.glob("*.ledger")
    content = path.read_bytes()
    begin = len(MAGIC) + 4
    header = content[begin : begin + int.from_bytes(content[begin - 4 : begin], "little")]
    assert valid_by("ledger-header-1.json", header)
    assert not valid_by("ledger-header-1.json", header.replace(b'"rank":0', b'"rank":-1'))
    assert valid_by("ledger-key-1.json", (tmp_path / "ledger.json").read_bytes())


PROJECT = jsonschema.Draft202012Validator(json.loads((PUBLISHED / "pyproject-1.json").read_text()))
ROOT = Path(__file__).parents[2]


def tables_of(text: str) -> list[dict]:
    """The section of the kit in each TOML text of a page, or in a file of TOML."""
    blocks = re.findall(r"(?m)^    \[tool\.samplercheck[^\n]*\n(?:(?:    [^\n]*)?\n)+", text)
    texts = [textwrap.dedent(block) for block in blocks] or [text]
    return [json.loads(json.dumps(tomllib.loads(one)["tool"]["samplercheck"], default=str)) for one in texts]


@pytest.mark.parametrize("path", ["docs/configuration.md", "examples/tested_package/pyproject.toml"])
def test_the_examples_of_configuration_are_valid(path) -> None:
    found = tables_of((ROOT / path).read_text())
    assert found
    for table in found:
        PROJECT.validate(table)


def test_what_the_schema_knows_is_what_is_read() -> None:
    defined = json.loads((PUBLISHED / "pyproject-1.json").read_text())["$defs"]
    assert set(defined["ProjectTable"]["properties"]) == {*SETTINGS, "targets"}
    assert set(defined["TargetTable"]["properties"]) == set(KEYS)
    assert set(defined["ContractTable"]["properties"]) == {"preset", *samplercheck.Contract().to_dict()}


@pytest.mark.parametrize(
    "wrong",
    [
        {"profil": "quick"},
        {"profile": "quik"},
        {"worlds": ["glo"]},
        {"targets": {"a": {}}},
        {"targets": {"a": {"factory": "no place"}}},
        {"targets": {"a": {"factory": "a:b", "contract": {"tail": "dorp"}}}},
        {"targets": {"a": {"factory": "a:b", "contract": {"tial": "drop"}}}},
        {"targets": {"a": {"factory": "a:b", "contract": "evaluatoin"}}},
    ],
    ids=str,
)
def test_what_is_misspelt_is_invalid(wrong) -> None:
    assert not PROJECT.is_valid(wrong)
