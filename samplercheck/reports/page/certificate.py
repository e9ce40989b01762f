"""The page of a certificate: what its statements say, for people.

Called by ``samplercheck certify``, with the plain data of the statement about the scope. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from samplercheck.reports.page._environment import environment, shorten
from samplercheck.reports.standing import Plain, name_versions
from samplercheck.reports.terminal import chance
from samplercheck.values.contract import Contract

MOST = 300
HOLDS = "holds"


def render_certificate(statement: Plain) -> str:
    """Return the page of the statement about a certificate's scope."""
    scope = statement["predicate"]
    holding = [one for one in scope["laws"] if one["outcome"] == HOLDS]
    cases = sum(one["cases"] for one in scope["phases"])
    planted = scope["sensitivity"]
    values: dict[str, Any] = {
        "target": shorten(scope["target"], 200),
        "claim": (
            f"{len(holding)} laws hold in {cases:,} cases, and {planted['caught']} of {planted['planted']} "
            "planted faults were detected."
        ),
        "facts": [(label, shorten(text)) for label, text in _facts(scope)],
        "phases": scope["phases"],
        "not_tried": [shorten(one) for one in scope.get("not_tried", ())][:MOST],
        "notes": [shorten(one) for one in scope.get("notes", ())][:MOST],
        "laws": [_law(one) for one in holding],
        "files": [(one["name"], f"sha256:{one['digest']['sha256']}") for one in statement["subject"][:MOST]],
    }
    return environment().get_template("certificate.html.jinja").render(values)


def _law(one: Plain) -> dict[str, Any]:
    faults = f"{one['caught']} of {one['planted']}" if one.get("planted") else ""
    return {**one, "advice": one.get("advice", ""), "faults": faults}


def _facts(scope: Plain) -> Iterator[tuple[str, str]]:
    yield "made", scope["made"]
    usual = {one.name: one.default for one in fields(Contract)}
    declared = {name: value for name, value in scope["contract"].items() if value != usual.get(name)}
    yield "contract", ", ".join(f"{name}={value}" for name, value in declared.items()) or "the default"
    yield "profile", f"{scope['profile']}, seed {scope['seed']}{', strict' if scope.get('strict') else ''}"
    yield "chance of a false alarm", chance(scope["false_alarm_bound"])
    yield "commit", scope["tree"]["commit"] or "none"
    if scope["tree"]["changed"]:
        yield "not in the commit", ", ".join(scope["tree"]["changed"])
    yield "versions", name_versions(scope)
