"""The two statements of a certificate: from an examination to what is signed, and their digests.

The scope statement says what was tried and whether it would have been noticed; the test statement, which
any reader of in-toto understands, says "passed" and names the other by its digest. Pure; the moment is
handed in. Standard library alone.
"""

from __future__ import annotations

import hashlib
import json
import platform
from datetime import datetime
from typing import Any

from samplercheck.certifying.form import SCOPE_TYPE, STATEMENT_TYPE, TEST_TYPE
from samplercheck.reports.standing import describe_advice
from samplercheck.worlds import GROUPS

Plain = dict[str, Any]

TEST_FILE, SCOPE_FILE = "certificate.intoto.json", "certificate.scope.intoto.json"
FORMAT = 1
INSTALLED, PROJECT = "installed", "project"
"""Where a source file lies."""


def as_text(statement: Plain) -> str:
    """Return the one text of a statement: sorted, indented by two, ASCII."""
    return json.dumps(statement, indent=2, sort_keys=True, allow_nan=False) + "\n"


def scope_statement(examined: Plain, made: datetime) -> Plain:
    """Return the statement with the kit's own predicate."""
    report = examined["report"]
    predicate = {
        "format": FORMAT,
        **{name: report[name] for name in ("target", "kind", "profile", "seed", "versions")},
        **{name: examined[name] for name in ("place", "contract", "changes", "axes", "drawn_axes", "tree")},
        **({"strict": True} if examined["strict"] else {}),
        **{name: report[name] for name in ("not_tried", "notes", "false_alarm_bound")},
        "made": made.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "environment": {"machine": platform.machine(), "system": platform.system()},
        "phases": [_tell_phase(phase) for phase in examined["phases"]],
        "laws": _laws(examined),
        "sensitivity": examined["sensitivity"],
        "result_digest": result_digest(examined),
    }
    statement = {
        "_type": STATEMENT_TYPE,
        "subject": [_subject(*source) for source in examined["sources"]],
        "predicateType": SCOPE_TYPE,
        "predicate": predicate,
    }
    predicate["digest"] = digest_of_scope(statement)
    return statement


def result_statement(scope: Plain) -> Plain:
    """Return in-toto's test result for a scope statement; it follows from it, down to the last byte."""
    laws = [law for law in scope["predicate"]["laws"] if law["outcome"] == "holds"]
    digest = hashlib.sha256(as_text(scope).encode()).hexdigest()
    version = scope["predicate"]["versions"]["samplercheck"]
    return {
        "_type": STATEMENT_TYPE,
        "subject": scope["subject"],
        "predicateType": TEST_TYPE,
        "predicate": {
            "result": "PASSED",
            "configuration": [
                {"name": SCOPE_FILE, "digest": {"sha256": digest}},
                {
                    "name": "samplercheck",
                    "uri": f"pkg:pypi/samplercheck@{version}",
                    "annotations": {"profile": scope["predicate"]["profile"]},
                },
            ],
            "passedTests": [_label(law) for law in laws if not law["advice"]],
            "warnedTests": [_label(law) for law in laws if law["advice"]],
            "failedTests": [],
        },
    }


def digest_of_scope(statement: Plain) -> str:
    """Return the digest of a scope statement without the one that it holds."""
    predicate = {name: value for name, value in statement["predicate"].items() if name != "digest"}
    return _digest({**statement, "predicate": predicate})


def result_digest(examined: Plain) -> str:
    """Return the digest of what every run of this target with these versions finds again."""
    report = examined["report"]
    again = [_tell_phase(phase) for phase in examined["phases"] if phase["phase"] not in GROUPS]
    outcomes = {result["code"]: result["outcome"] for result in report["results"]}
    return _digest({"phases": again, "outcomes": outcomes, "sensitivity": examined["sensitivity"]})


def _tell_phase(phase: Plain) -> Plain:
    return {name: phase[name] for name in ("phase", "scope", "cases", "judged")}


def _digest(plain: Plain) -> str:
    canonical = json.dumps(plain, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()


def _subject(name: str, sha256: str, installed: bool) -> Plain:  # noqa: FBT001  (one row of a list)
    home = INSTALLED if installed else PROJECT
    return {"name": name, "digest": {"sha256": sha256}, "annotations": {"home": home}}


def _laws(examined: Plain) -> list[Plain]:
    faults = examined["sensitivity"]["faults"]
    return [
        {
            **{name: result[name] for name in ("code", "name", "statement", "outcome", "judged", "reason")},
            "version": examined["versions_of_laws"][result["code"]],
            "advice": describe_advice(result),
            "planted": sum(fault["law"] == result["code"] for fault in faults),
            "caught": sum(fault["law"] == result["code"] in fault["seen_by"] for fault in faults),
        }
        for result in examined["report"]["results"]
    ]


def _label(law: Plain) -> str:
    return f"{law['code']}-{law['name']}"
