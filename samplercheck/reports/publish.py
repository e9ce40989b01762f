"""Publishing: the files that are rendered from reports, each of them whole or not at all.

Used by the command line and by pytest's hooks once ``report.json`` is written. What a rendering needs is
imported when it is made: start-up must not wait for templates.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path

from samplercheck.reports.standing import Plain
from samplercheck.storage.report_file import save_text
from samplercheck.values.errors import StoreError

RENDERINGS = {
    "junit.xml": "samplercheck.reports.junit",
    "summary.md": "samplercheck.reports.summary",
    "badge.json": "samplercheck.reports.badge",
    "results.sarif": "samplercheck.reports.sarif",
    "index.html": "samplercheck.reports.page",
}
STEP_SUMMARY = "GITHUB_STEP_SUMMARY"
LONGEST_NAME = 80


def publish(reports: Sequence[Plain], directory: Path) -> None:
    """Write all renderings of these reports into a directory."""
    for name, module in RENDERINGS.items():
        save_text(import_module(module).render(reports), directory / name)


def tell_step(reports: Sequence[Plain], surrounding: Mapping[str, str]) -> None:
    """Append the summary to the page of a GitHub step, where the environment names its file."""
    place = surrounding.get(STEP_SUMMARY)
    if not place or not reports:
        return
    text = import_module(RENDERINGS["summary.md"]).render(reports)
    try:
        with Path(place).open("ab") as file:
            file.write(f"{text}\n".encode())
    except OSError as error:
        raise StoreError(
            f"The summary cannot be added to {place!r}, which {STEP_SUMMARY} names: {error.strerror}. "
            f"Name a file that can be written, or unset {STEP_SUMMARY}."
        ) from None


def folder_name(number: int, report: Plain) -> str:
    """Return the name of the folder of one of several reports."""
    name = re.sub(r"[^A-Za-z0-9_.-]+", "-", report["target"]).strip("-.") or "target"
    return f"{number}-{name[-LONGEST_NAME:]}"
