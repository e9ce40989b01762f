"""The published JSON Schema is what the types say, and reports are valid by it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

import samplercheck
from samplercheck.report_file import as_json
from samplercheck.report_file.schema import report_schema, schema_text
from tests.report_file.test_reading import full, old
from tests.reports import made
from tests.reports.awkward import hostile

PUBLISHED = Path(samplercheck.__file__).parent / "schemas" / "report-2.json"
VALIDATOR = jsonschema.Draft202012Validator(json.loads(PUBLISHED.read_text()))


def test_the_published_schema_is_made_from_the_types() -> None:
    assert PUBLISHED.read_text() == schema_text()
    jsonschema.Draft202012Validator.check_schema(report_schema())


def test_the_command_that_makes_it_is_the_one_that_is_told() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "samplercheck.report_file.schema"], capture_output=True, text=True, check=True
    )
    assert done.stdout == schema_text()


@pytest.mark.parametrize("path", sorted(PUBLISHED.parent.glob("*.json")), ids=lambda path: path.stem)
def test_what_has_a_pattern_ends_where_the_pattern_does(path: Path) -> None:
    patterns = re.findall(r'"pattern": (".*")', path.read_text())
    assert patterns
    assert all(json.loads(one).endswith(r"$(?!\n)") for one in patterns)


@pytest.mark.parametrize("make", [made.mixed, made.clean, made.undecided, full, hostile])
def test_reports_are_valid(make) -> None:
    VALIDATOR.validate(json.loads(as_json(make())))


@pytest.mark.parametrize(
    "change", [{"format": 1}, {"format": 3}, {"news": 1}, {"target": None}, {"ok": 1}], ids=str
)
def test_what_is_no_report_of_this_format_is_invalid(change) -> None:
    assert not VALIDATOR.is_valid({**made.mixed(), **change})
    assert not VALIDATOR.is_valid(old())
