"""``results.sarif``: broken laws where code scanning shows them, as SARIF 2.1.0.

Called where reports are published, with plain data. Rules are laws; a result lies in the line in which its
target is defined and keeps its fingerprint from run to run, also where another case is the smallest. Pure.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import PurePath, PureWindowsPath
from urllib.parse import quote

from samplercheck.laws import ALL_LAWS
from samplercheck.laws.history import HISTORY_LAWS
from samplercheck.laws.law import Law
from samplercheck.reports.occurrence import describe_region
from samplercheck.reports.standing import (
    Plain,
    Standing,
    consequence_of,
    describe_advice,
    fault_of,
    standing_of,
)
from samplercheck.reports.summary import prose
from samplercheck.values.layout import cut, printable, sentence
from samplercheck.values.site import page_of

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LONGEST = 4_000
FINGERPRINT = "targetAndLaw/v1"
KNOWN = [{"kind": "external", "justification": "It is among the known failures."}]
LEVELS: dict[Standing, Plain] = {
    Standing.BROKEN: {"level": "error"},
    Standing.KNOWN: {"level": "error", "suppressions": KNOWN},
    Standing.UNKNOWN: {"kind": "open", "level": "none"},
}


def render(reports: Sequence[Plain]) -> str:
    """Return the JSON text of all reports as one run."""
    pages = {law.code: law for law in (*ALL_LAWS, *HISTORY_LAWS)}
    rules = {
        one["code"]: _rule(one, pages.get(one["code"]), report.get("documentation", ""))
        for report in reports
        for one in report["results"]
    }
    places = {code: place for place, code in enumerate(rules)}
    results = [
        found
        for report in reports
        for one in report["results"]
        if (found := _result(report, one, places[one["code"]])) is not None
    ]
    version = next((report["versions"].get("samplercheck") for report in reports), None)
    driver = {"name": "samplercheck", **({"version": version} if version else {}), "rules": [*rules.values()]}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": not any(report["interrupted"] for report in reports)}],
        "results": results,
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(one: Plain, law: Law | None, site: str) -> Plain:
    """Return a law as a rule; its help is the law's page, or of a user's own law the statement."""
    address = page_of(site, one["code"])
    return {
        "id": one["code"],
        "name": "".join(part.capitalize() for part in one["name"].split("-")),
        "shortDescription": {"text": sentence(fault_of(one))},
        "fullDescription": {"text": sentence(printable(one["statement"]))},
        **({"helpUri": address} if address else {}),
        "help": _help(one, law, address),
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": ["correctness", "distributed-training", printable(one["consequence"])]},
    }


def _help(one: Plain, law: Law | None, address: str) -> Plain:
    """Return the page of a law as text and as Markdown, which code scanning shows beside a finding."""
    statement = sentence(one["statement"])
    if law is None:
        return {"text": statement, "markdown": prose(statement, LONGEST)}
    parts = {
        "Why it matters in training": law.why,
        "How to fix it": law.fix,
        "When it is intended": law.intended,
    }
    told = {title: printable(" ".join(text.split())) for title, text in parts.items() if text}
    more = f"samplercheck explain {law.code}"
    text = [statement, *(f"{title}: {text}" for title, text in told.items()), f"More: {address or more}"]
    markdown = [
        f"**{law.code} {law.name}**: {prose(statement, LONGEST)}",
        *(f"**{title}.** {prose(text, LONGEST)}" for title, text in told.items()),
        f"On a terminal: `{more}`." + (f" [On the web]({address})." if address else ""),
    ]
    return {"text": "\n\n".join(text), "markdown": "\n\n".join(markdown)}


def _result(report: Plain, one: Plain, place: int) -> Plain | None:
    """Return what is to be shown of one law: a failure, known or not, what is undecided, or advice."""
    standing, advice = standing_of(report, one), describe_advice(one)
    if standing not in LEVELS and not advice:
        return None
    failure, target = one["failure"], printable(report["target"])
    identity = hashlib.sha256(f"{target}\0{one['code']}".encode()).hexdigest()
    physical = _physical(report.get("where", ""))
    location = {
        "logicalLocations": [{"fullyQualifiedName": target}],
        **({"physicalLocation": physical} if physical else {}),
    }
    return {
        "ruleId": one["code"],
        "ruleIndex": place,
        "message": {"text": _message(standing, one, advice)},
        **LEVELS.get(standing, {"level": "note"}),
        "locations": [location],
        "partialFingerprints": {FINGERPRINT: identity},
        "properties": {
            "consequence": consequence_of(one),
            **({"case": failure["id"], "again": f"samplercheck replay {failure['id']}"} if failure else {}),
        },
    }


def _message(standing: Standing, one: Plain, advice: str) -> str:
    failure = one["failure"]
    if failure and standing is not Standing.UNKNOWN and standing in LEVELS:
        parts = [
            f"{printable(fault_of(one)[:1].upper() + fault_of(one)[1:])} ({one['code']} {one['name']}).",
            sentence(failure["message"]),
            f"It happens {describe_region(one)}." if failure["region"] else "",
            sentence(failure["cause"]),
            sentence(failure["hint"]),
            f"Smallest case: {failure['token']}; samplercheck replay {failure['id']} shows it again.",
        ]
        return cut(printable(" ".join(filter(None, parts))), LONGEST)
    if standing is Standing.UNKNOWN:
        return printable(f"{one['code']} {one['name']} is undecided: {sentence(one['reason'])}")
    return printable(f"Advice of {one['code']} {one['name']}: {advice}")


def _physical(where: str) -> Plain | None:
    """Return the file and line of ``where``, a path below the root of the source as far as it is one."""
    path, _, line = where.rpartition(":")
    if not path or not line.isdigit():
        return None
    pure = PureWindowsPath(path) if "\\" in path else PurePath(path)
    if pure.is_absolute():
        whole = quote(pure.as_posix(), safe="/:")
        location = {"uri": f"file:{whole}" if whole.startswith("//") else f"file:///{whole.lstrip('/')}"}
    else:
        location = {"uri": quote(pure.as_posix()), "uriBaseId": "%SRCROOT%"}
    return {"artifactLocation": location, "region": {"startLine": int(line)}}
