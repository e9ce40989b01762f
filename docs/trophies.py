"""The trophy case: a page for each defect that was found in a public package, ready to be sent as a report.

Called by ``pages``. Rows and scripts are those of ``tests/field/``, whose test holds them to the packages.
"""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

FIELD = Path(__file__).parents[1] / "tests" / "field"
PINS = (FIELD.parents[1] / "constraints.txt", FIELD / "constraints.txt", FIELD / "no-deps.txt")
ROW = re.compile(r"^\| ([\w-]+) \| (SC\d+) \| \w+ \| defect \| (.*) \|$", re.MULTILINE)
OTHERWISE = {"torchnlp": "pytorch-nlp", "ignite": "pytorch-ignite", "pytorch_lightning": "pytorch-lightning"}
SEEN = json.loads((FIELD / "seen.json").read_text(encoding="utf-8"))
"""By sampler and law the smallest case, what was found, when it fails and what fixes it, as a run says it."""
OTHERWISE |= {"lightning_fabric": "pytorch-lightning", "TTS": "coqui-tts", "trainer": "coqui-tts-trainer"}


def write_trophies(folder: Path, laws: dict[str, tuple[str, str]]) -> None:
    """Write a page for each script, and their list; ``laws`` has by code what is expected and what helps."""
    folder.mkdir()
    rows, versions = _rows(), _versions()
    lines = []
    for path in sorted((FIELD / "plain").glob("[!_]*.py")):
        name = path.stem.replace("_", "-")
        found = rows.get(name, [])
        if found:
            text = path.read_text(encoding="utf-8")
            title = ast.get_docstring(ast.parse(text)).partition("\n")[0].rstrip(".")
            page = _page(title, name, text, found, versions, laws)
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
    laws: dict[str, tuple[str, str]],
) -> str:
    tops = set(re.findall(r"^(?:from|import) (\w+)", script, re.MULTILINE))
    used = sorted({_plain(OTHERWISE.get(top, top)) for top in tops} | {"torch"})
    pins = [f"{one} {versions[one]}" for one in used if one in versions]
    seen = SEEN[name]
    codes = [code for code in dict.fromkeys(code for code, _ in found) if code in seen]
    smallest = [_describe_smallest(code, **seen[code]) for code in codes]
    fixes = dict.fromkeys(seen[code]["fix"] or laws[code][1] for code in codes)
    parts = [
        f"# {title}",
        f"Versions: {', '.join(pins)}.",
        "## Found",
        "\n".join(_describe_found(found)),
        "## Smallest case",
        "\n".join(smallest),
        "## Expected",
        "\n".join(f"- {_in_code(laws[code][0])}" for code in codes),
        "## Suggested fix",
        "\n".join(f"- {_in_code(fix)}" for fix in fixes),
        "## Without samplercheck",
        "The script ends with 1 where the defect is there, and prints what comes.",
        f"```python\n{script.rstrip()}\n```",
        "## With samplercheck",
        f"In a checkout with the extra `field`: `python -m pytest tests/field -k {name}`.",
        f"The [cookbook](../reference/cookbook.md#{name}) has the contract, and how it is built.",
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def _describe_found(found: list[tuple[str, str]]) -> list[str]:
    """Return a line for each defect, with all laws that it breaks."""
    laws: dict[str, list[str]] = {}
    for law, what in found:
        same = what.startswith("the same") and laws
        laws.setdefault([*laws][-1] if same else what, []).append(f"[{law}](../laws/{law}.md)")
    return [f"- {what[:1].upper()}{what[1:]} ({', '.join(codes)})." for what, codes in laws.items()]


def _describe_smallest(code: str, case: str, found: str, when: str, fix: str) -> str:  # noqa: ARG001
    """Return the line on the smallest case that breaks a law, and on the others that do."""
    others = f" (fails {when})" if when else ""
    return f"- {code}: `{case}`{others}: {_in_code(found)}."


def _in_code(text: str) -> str:
    """Return a sentence with its names, those that have an underscore, set as code."""
    return re.sub(r"(?<![`\w])[\w.]*_[\w.]*\w(?:\([^)]*\))?(?!`)", r"`\g<0>`", text)


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
