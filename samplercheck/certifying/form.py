"""The form of a certificate's two statements, as types: what a reader may rely on, down to the last field.

``ScopeStatement`` holds the kit's own predicate, published as ``schemas/certificate-scope-1.json``;
``ResultStatement`` is in-toto's test result v0.1. Imports msgspec and values.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from samplercheck.values.case import Scalar
from samplercheck.values.failure_form import Code, Count

STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
TEST_TYPE = "https://in-toto.io/attestation/test-result/v0.1"
SCOPE_TYPE = "urn:samplercheck:certificate-scope:1"

Sha256 = Annotated[str, Meta(pattern=r"^[0-9a-f]{64}$(?!\n)")]
Moment = Annotated[str, Meta(pattern=r"^[0-9]{4}(-[0-9]{2}){2}T[0-9]{2}(:[0-9]{2}){2}Z$(?!\n)")]


class StatementPart(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """An object of a statement: it has the fields of its class and no others."""


class Digest(StatementPart):
    """The digest of a file."""

    sha256: Sha256


class SourceFile(StatementPart):
    """A source file; ``annotations`` say whether it was installed or lies in the project."""

    name: str
    digest: Digest
    annotations: dict[str, str]


class Phase(StatementPart):
    """What one phase of the search tried, and in how many of its cases each law had something to judge."""

    phase: str
    scope: str
    cases: Count
    judged: dict[Code, Count]


class JudgedLaw(StatementPart):
    """One law: its words, the digest of the file that judges by it, and what came of it."""

    code: Code
    name: str
    statement: str
    version: str
    outcome: Literal["holds", "not_applicable"]
    judged: Count
    reason: str
    advice: str
    planted: Count
    caught: Count


class PlantedFault(StatementPart):
    """One planted fault: the law it is aimed at, after how many cases it was seen, in which, by whom."""

    name: str
    says: str
    law: Code
    cases: Count
    case: str
    seen_by: list[Code]


class Sensitivity(StatementPart):
    """The faults that were planted into the target, and those that would have changed nothing in it."""

    planted: Count
    caught: Count
    faults: list[PlantedFault]
    without_effect: list[str]


class Tree(StatementPart):
    """The commit of the project, and what differed from it."""

    commit: str
    changed: list[str]


class CertifiedScope(StatementPart):
    """What was tried, under which promise, by which laws, and whether they would have noticed.

    ``changes`` are those fields of the contract that the target at its place does not declare itself.
    ``strict`` says that findings of that grade would have refused it; else they are advice on their laws.
    ``result_digest`` is that of what every run with these versions must find again, ``digest`` that of
    the whole statement without it.
    """

    format: Literal[1]
    target: str
    place: str
    kind: str
    contract: dict[str, Scalar]
    changes: dict[str, Scalar]
    axes: dict[str, list[Scalar]]
    drawn_axes: list[str]
    profile: str
    seed: Count
    made: Moment
    tree: Tree
    versions: dict[str, str]
    environment: dict[str, str]
    phases: list[Phase]
    laws: list[JudgedLaw]
    sensitivity: Sensitivity
    not_tried: list[str]
    notes: list[str]
    false_alarm_bound: float
    result_digest: Sha256
    digest: Sha256
    strict: bool = False


class ScopeStatement(StatementPart):
    """The in-toto statement that holds the scope."""

    _type: Literal["https://in-toto.io/Statement/v1"]
    subject: Annotated[list[SourceFile], Meta(min_length=1)]
    predicateType: Literal["urn:samplercheck:certificate-scope:1"]  # noqa: N815  (in-toto's word)
    predicate: CertifiedScope


class Configuration(StatementPart):
    """What configured the run: the scope's file, or the kit with its profile."""

    name: str
    digest: Digest | None = None
    uri: str = ""
    annotations: dict[str, str] = {}  # msgspec copies an empty one


class ResultPredicate(StatementPart):
    """The predicate test result v0.1."""

    result: Literal["PASSED"]
    configuration: Annotated[list[Configuration], Meta(min_length=1)]
    passedTests: list[str]  # noqa: N815
    warnedTests: list[str]  # noqa: N815
    failedTests: Annotated[list[str], Meta(max_length=0)]  # noqa: N815


class ResultStatement(StatementPart):
    """The in-toto statement that says: passed."""

    _type: Literal["https://in-toto.io/Statement/v1"]
    subject: Annotated[list[SourceFile], Meta(min_length=1)]
    predicateType: Literal["https://in-toto.io/attestation/test-result/v0.1"]  # noqa: N815
    predicate: ResultPredicate
