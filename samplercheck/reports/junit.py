"""``junit.xml``: a suite for each report, a test case for each law, as Jenkins and its like read it.

Called where reports are published, with plain data. A broken law is a failure, an undecided one an
error, as it is for the exit code; what did not apply, was skipped or is known to fail is skipped. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.etree import ElementTree as ET

from samplercheck.reports.standing import (
    Plain,
    Standing,
    consequence_of,
    describe_advice,
    fault_of,
    shown_case,
    standing_of,
    troubles,
)
from samplercheck.values.layout import case_text, cut

LONGEST_MESSAGE = 400
LONGEST_TEXT = 20_000
TAGS = {
    Standing.BROKEN: "failure",
    Standing.UNKNOWN: "error",
    Standing.KNOWN: "skipped",
    Standing.SKIPPED: "skipped",
    Standing.NOT_APPLICABLE: "skipped",
}
_ILLEGAL = re.compile(r"[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\x7f-\x9f]")


def render(reports: Iterable[Plain]) -> str:
    """Return the XML text of all reports."""
    root = ET.Element("testsuites", name="samplercheck")
    for number, report in enumerate(reports):
        root.append(_suite(report, number))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _suite(report: Plain, number: int) -> ET.Element:
    name = _legal(report["target"])
    suite = ET.Element("testsuite", name=name, id=str(number))
    properties = ET.SubElement(suite, "properties")
    values = {key: report[key] for key in ("contract", "profile", "seed")} | report["versions"]
    for key, value in values.items():
        ET.SubElement(properties, "property", {"name": _legal(key), "value": _legal(str(value))})
    for one in report["results"]:
        suite.append(_law(name, report, one))
    for standing, text in troubles(report):
        suite.append(_case(name, "the run itself", standing, text))
    for key, tag in (("tests", "testcase"), *((f"{tag}s", tag) for tag in ("failure", "error"))):
        suite.set(key, str(sum(1 for _ in suite.iter(tag))))
    suite.set("skipped", str(sum(1 for _ in suite.iter("skipped"))))
    suite.set("time", f"{report['seconds']:.3f}")
    return suite


def _law(target: str, report: Plain, one: Plain) -> ET.Element:
    standing, failure = standing_of(report, one), one["failure"]
    case = _case(target, f"{one['code']} {one['name']}", standing, _message(standing, one))
    if standing is Standing.BROKEN:
        case[0].set("type", _legal(consequence_of(one)))
    if failure and len(case):
        case[0].text = _legal(failure["text"], LONGEST_TEXT)
    if one["advice"]:
        ET.SubElement(case, "system-out").text = _legal(f"advice: {describe_advice(one)}", LONGEST_TEXT)
    return case


def _case(target: str, name: str, standing: Standing, message: str) -> ET.Element:
    case = ET.Element("testcase", name=_legal(name), classname=target)
    if standing in TAGS:
        attributes = {"type": standing.value, "message": _legal(message)}
        ET.SubElement(case, TAGS[standing], attributes)
    return case


def _message(standing: Standing, one: Plain) -> str:
    failure = one["failure"]
    if failure and standing in (Standing.BROKEN, Standing.KNOWN):
        return f"{fault_of(one)}: {failure['message']} ({case_text(shown_case(failure))})"
    return str(one["skipped"] or one["reason"] or standing.value)


def _legal(text: str, most: int = LONGEST_MESSAGE) -> str:
    """Return the text, cut, with escapes for what no XML file may hold, and for what terminals obey."""
    return _ILLEGAL.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), cut(text, most))
