"""The trophy case: a page for each defect that was found in a public package, ready to be sent as a report.

Called by ``pages``. Rows and scripts are those of ``tests/field/``, whose test holds them to the packages.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

FIELD = Path(__file__).parents[1] / "tests" / "field"
PINS = (FIELD.parents[1] / "constraints.txt", FIELD / "constraints.txt", FIELD / "no-deps.txt")
ROW = re.compile(r"^\| ([\w-]+) \| (SC\d+) \| \w+ \| defect \| (.*) \|$", re.MULTILINE)
OTHERWISE = {"torchnlp": "pytorch-nlp", "ignite": "pytorch-ignite", "pytorch_lightning": "pytorch-lightning"}
OTHERWISE |= {"lightning_fabric": "pytorch-lightning", "TTS": "coqui-tts", "trainer": "coqui-tts-trainer"}


def write_trophies(folder: Path, fixes: dict[str, str]) -> None:
    """Write a page for each script, and the list of them; ``fixes`` says by law what is expected."""
    folder.mkdir()
    rows, versions = _rows(), _versions()
    lines = []
    for path in sorted((FIELD / "plain").glob("[!_]*.py")):
        name = path.stem.replace("_", "-")
        found = rows.get(name, [])
        if found:
            text = path.read_text(encoding="utf-8")
            title = ast.get_docstring(ast.parse(text)).partition("\n")[0].rstrip(".")
            page = _page(title, name, text, found, versions, fixes)
            (folder / f"{name}.md").write_text(page, encoding="utf-8")
            lines.append(f"| [{title}]({name}.md) | {', '.join(law for law, _ in found)} |")
    index = [
        "# Trophies",
        "",
        (
            "Defects that samplercheck found in public packages. Each was confirmed by a script without this "
            "kit. Packages may have corrected them since: the versions are on the pages."
        ),
        "",
        "| what | laws |",
        "| --- | --- |",
        *lines,
        "",
        "```{toctree}",
        ":hidden:",
        ":glob:",
        "",
        "*",
        "```",
    ]
    (folder / "index.md").write_text("\n".join(index) + "\n", encoding="utf-8")


def _rows() -> dict[str, list[tuple[str, str]]]:
    """Return by sampler the laws of its defects, and what is said of each."""
    found: dict[str, list[tuple[str, str]]] = {}
    text = (FIELD / "FINDINGS.md").read_text(encoding="utf-8")
    for name, law, what in ROW.findall(text):
        found.setdefault(name, []).append((law, what))
    return found


def _versions() -> dict[str, str]:
    pins = "\n".join(path.read_text(encoding="utf-8") for path in PINS)
    return {_plain(name): version for name, version in re.findall(r"^([\w.-]+)==(\S+)", pins, re.MULTILINE)}


def _page(
    title: str,
    name: str,
    script: str,
    found: list[tuple[str, str]],
    versions: dict[str, str],
    fixes: dict[str, str],
) -> str:
    tops = set(re.findall(r"^(?:from|import) (\w+)", script, re.MULTILINE))
    used = sorted({_plain(OTHERWISE.get(top, top)) for top in tops} | {"torch"})
    pins = [f"{one} {versions[one]}" for one in used if one in versions]
    parts = [
        f"# {title}",
        f"Versions: {', '.join(pins)}.",
        "## Found",
        "\n".join(f"- {what[:1].upper()}{what[1:]} ([{law}](../laws/{law}.md))." for law, what in found),
        "## Expected",
        "\n".join(f"- {one}" for one in dict.fromkeys(fixes[law] for law, _ in found if law in fixes)),
        "## Without samplercheck",
        "The script ends with 1 where the defect is there, and prints what comes.",
        f"```python\n{script.rstrip()}\n```",
        "## With samplercheck",
        f"In a checkout with the extra `field`: `python -m pytest tests/field -k {name}`.",
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
