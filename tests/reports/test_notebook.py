"""A notebook shows the verdict first, then what there is to say, and nothing that could do harm."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from samplercheck.reports.notebook import report_html
from samplercheck.values.finding import Outcome
from samplercheck.values.report import LawResult
from samplercheck.values.scene import Scene, SeenPass
from tests.support.handmade import EQUAL_STEPS, RESHUFFLES, broken, clean, crash, mixed, report, uneven

EVIL = "</style><script>alert(1)</script>"
SEEN = Scene(
    length=3,
    world_size=2,
    passes=(
        SeenPass(experiment="epochs", label="epoch 0", epoch=0, ranks=((((0,), (2,))), ((1,),)), ended=()),
    ),
    marked=((0, 1, 1),),
    token="n=3,world=2,batch=1,shuffle,seed=7",
)


def text(html):
    """All that is written in it, pictures included."""
    return " ".join(ET.fromstring(html).itertext())


def test_a_report_is_one_well_formed_element_with_a_style_sheet_of_its_own():
    tree = ET.fromstring(report_html(mixed()))
    assert (tree.tag, tree.get("class")) == ("div", "samplercheck-report")
    sheet = tree.find("style").text
    selectors = [one for rule in re.findall(r"([^{}]+)\{", sheet) for one in rule.split(",")]
    assert len(selectors) > 3
    assert all(one.startswith(".samplercheck-report") for one in selectors)


@pytest.mark.parametrize(
    ("plain", "verdict"),
    [
        (clean(), "No law is broken: mypkg.samplers:CyclicSampler"),
        (mixed(), "Broken: mypkg.samplers:CyclicSampler"),
    ],
)
def test_the_verdict_comes_first(plain, verdict):
    assert ET.fromstring(report_html(plain)).find("p").text.endswith(verdict)


def test_laws_that_hold_are_counted_and_all_others_are_listed():
    told = text(report_html(mixed()))
    assert "1 broken, 1 undecided, 1 skipped, 1 holds; standard@1, seed 0" in told
    assert "advice: Seed 1 has in epoch 0" in told
    assert "issue 12" in told
    assert "SC104" not in text(report_html(clean()))


def test_a_failure_is_told_with_its_picture_and_the_case_of_it():
    told = report_html(report(broken(EQUAL_STEPS, replace(uneven(), scene=SEEN))))
    assert "in the case n=3,world=2,batch=1,shuffle,seed=7" in text(told)
    assert told.count("<svg") == 1
    assert "<svg" not in report_html(report(broken(EQUAL_STEPS, crash())))


def test_of_many_failures_the_first_are_told_and_the_others_counted():
    told = text(report_html(report(*[broken(EQUAL_STEPS, uneven())] * 8)))
    assert told.count("Look at: Where the order is cut") == 5
    assert "... and 3 more broken laws" in told


def test_names_and_messages_are_text_whatever_they_say():
    failure = uneven()
    failure = replace(
        failure, violation=replace(failure.violation, found=EVIL, hint=EVIL), scene=replace(SEEN, token=EVIL)
    )
    undecided = LawResult(law=RESHUFFLES, outcome=Outcome.UNKNOWN, reason=EVIL)
    html = report_html(report(broken(EQUAL_STEPS, failure), undecided, target=EVIL))
    assert "<script" not in html
    assert html.count("</style>") == 1
    assert EVIL in text(html)


def test_a_report_shows_itself_without_torch_and_jinja2():
    code = (
        "import sys\nfrom samplercheck.values.report import Report\n"
        "one = Report(target='t', contract='', kind='samples', profile='p', seed=0, results=())\n"
        "assert 'Nothing to check' in one._repr_html_()\n"
        "print(sorted({'torch', 'jinja2', 'numpy', 'hypothesis'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"
