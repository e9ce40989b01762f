"""The published schema is that of the types, and the kit's own statements are of them."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec

import samplercheck
from samplercheck.certifying.form import SCOPE_TYPE, ResultStatement, ScopeStatement
from samplercheck.certifying.schema import schema_text
from tests.certifying.made import certificate

PUBLISHED = Path(samplercheck.__file__).parent / "schemas" / "certificate-scope-1.json"


def test_the_published_schema_is_that_of_the_types():
    assert PUBLISHED.read_text() == schema_text()
    assert json.loads(schema_text())["$id"] == SCOPE_TYPE


def test_what_the_kit_writes_is_of_its_types():
    msgspec.json.decode(certificate().scope, type=ScopeStatement)
    msgspec.json.decode(certificate().test, type=ResultStatement)
