"""The pages that are written from the code: a page for each law, the command line, the API, the formats.

Called by ``conf.py`` before the sources are read. What is written lies in ``laws/``, ``reference/`` and
``trophies/``, which git ignores.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import click
from cookbook import cookbook_page
from threads import read_threads
from trophies import write_trophies

import samplercheck
from samplercheck.cli.main import VERBS
from samplercheck.cli.main import samplercheck as command
from samplercheck.laws import ALL_LAWS
from samplercheck.laws.history import HISTORY_LAWS

ROOT = Path(__file__).parents[1]
LAWS = (*ALL_LAWS, *HISTORY_LAWS)
GENERATED = ("laws", "reference", "trophies")
INCLUDED = {
    "contributing": "CONTRIBUTING.md",
    "changelog": "CHANGELOG.md",
    "findings": "tests/field/FINDINGS.md",
    "examples": "examples/README.md",
}
FAMILIES = {
    "SC0": "Running at all",
    "SC1": "Coverage and steps",
    "SC2": "Lengths",
    "SC3": "Order and epochs",
    "SC4": "Random numbers and processes",
    "SC5": "State of the object",
    "SC6": "Batches",
    "SC7": "Resuming",
    "SC8": "Streams and workers",
    "SC9": "Process groups",
    "SC10": "Frequencies",
    "SC11": "Training jobs",
}
HEARD = {
    "<pre>": '<pre tabindex="0">',
    'class="caption" role="heading">': 'class="caption" role="heading" aria-level="2">',
    '<aside class="sidebar-drawer">': '<aside class="sidebar-drawer" aria-label="All pages">',
    '<aside class="toc-drawer">': '<aside class="toc-drawer" aria-label="This page">',
}
"""What the theme leaves out for those who read by keyboard or by ear."""
HISTORY_ONLY = "What a training job was really trained on (`samplercheck audit`)."


def write_pages(source: Path) -> None:
    """Write all of them."""
    for folder in GENERATED:
        shutil.rmtree(source / folder, ignore_errors=True)
    for folder in ("laws", "reference"):
        (source / folder).mkdir()
    write_trophies(source / "trophies", {law.code: (_prose(law.statement), _prose(law.fix)) for law in LAWS})
    threads = read_threads()
    for law in LAWS:
        (source / "laws" / f"{law.code}.md").write_text(law_page(law, threads.get(law.code, []), source))
    (source / "laws" / "index.md").write_text(law_index())
    reference = source / "reference"
    (reference / "command-line.md").write_text(command_page())
    (reference / "cookbook.md").write_text(cookbook_page())
    (reference / "api.md").write_text(api_page())
    (reference / "formats.md").write_text(formats_page())
    for name, path in INCLUDED.items():
        text = (ROOT / path).read_text(encoding="utf-8")
        text = re.sub(r"\]\((?:\.\./)?docs/", "](../", text).replace("](plain)", "](findings.md)")
        text = re.sub(r"\[([^\]]*)\]\([\w/]+(?:\.(?!md\b)\w+|_package)\)", r"`\1`", text)
        (reference / f"{name}.md").write_text(text, encoding="utf-8")


def family_of(code: str) -> str:
    """Return the family of a law: the digits before its last two."""
    return code[:-2]


def law_page(law, threads: list[tuple[str, str]], source: Path) -> str:
    """Return the page of one law."""
    parts = [
        f"# {law.code} {law.name}",
        _prose(law.statement),
        f":When it is broken: {'advice, which never breaks a run' if law.advice else law.consequence}\n"
        f":Compares: {', '.join(f'`{name}`' for name in law.reads) or HISTORY_ONLY}\n"
        f":On a terminal: `samplercheck explain {law.code}`"
        + (f"\n:Former name: {law.former}" if law.former else "")
        + f"\n:Since: version {law.since}",
        f"## Why it matters in training\n\n{_prose(law.why)}" if law.why else "",
    ]
    if threads:
        lines = [f"- {_prose(story)} ({_linked(where)})" for story, where in threads[:8]]
        parts.append("## Where it bit people\n\n" + "\n".join(lines))
    sample = source / "samples" / f"{law.code}.txt"
    if sample.exists():
        parts.append(f"## As it is printed\n\n```text\n{sample.read_text().rstrip()}\n```")
    if law.fix:
        parts.append(f"## How to fix it\n\n{_prose(law.fix)}")
    parts.append(f"## When it is intended\n\n{say_intended(law)}")
    return "\n\n".join(filter(None, parts)) + "\n"


def say_intended(law) -> str:
    """Say how a contract declares it, or that none does and what is left then."""
    if law.intended:
        return f"{_prose(law.intended)} See [contracts](../contracts.md)."
    if law in HISTORY_LAWS:
        return "It is never meant: no contract declares it."
    skip = f"`--skip {law.code}=reason` leaves the law out of a run, and the report says so with the reason."
    return f"No contract declares it. {skip}"


def law_index() -> str:
    """Return the list of all laws by families."""
    lines = [
        "# The laws",
        "",
        (
            "Each law has a page at an address that stays. `samplercheck laws` lists them, "
            "`samplercheck explain CODE` prints one, `--select` and `--skip` take a code, a name or a family "
            "(`SC3`)."
        ),
    ]
    for family, title in FAMILIES.items():
        lines += ["", f"## {title}", "", "| law | what breaks it | in training |", "| --- | --- | --- |"]
        for law in LAWS:
            if family_of(law.code) == family:
                lines.append(f"| [{law.code} {law.name}]({law.code}.md) | {law.fault} | {law.consequence} |")
    lines += ["", "```{toctree}", ":hidden:", "", *(law.code for law in LAWS), "```"]
    return "\n".join(lines) + "\n"


def command_page() -> str:
    """Return the help of the command and of every verb."""
    parts = ["# Command line", "Every verb, as `--help` prints it.", _fence(_help(command, "samplercheck"))]
    for verb in VERBS:
        found = command.get_command(click.Context(command), verb)
        parts += [f"## {verb}", _fence(_help(found, f"samplercheck {verb}"))]
    parts.append(
        "## Exit codes\n\n| code | means |\n| --- | --- |\n| 0 | every law holds |\n| 1 | a law is broken |\n"
        "| 2 | usage |\n| 3 | something required is undecided |\n| 4 | a fault of the kit or the machine |\n"
        "| 5 | nothing to check |\n| 130 | interrupted |"
    )
    return "\n\n".join(parts) + "\n"


def _help(verb: click.Command, name: str) -> str:
    context = click.Context(verb, info_name=name, max_content_width=80, terminal_width=80)
    return verb.get_help(context)


def api_page() -> str:
    """Return the public names of the package, with their docstrings."""
    kinds = {
        "autofunction": "Functions",
        "autoclass": "Classes",
        "autoexception": "Exceptions",
        "automodule": "Modules",
    }
    found: dict[str, list[str]] = {kind: [] for kind in kinds}
    for name in sorted(samplercheck.__all__):
        found[_kind_of(getattr(samplercheck, name))].append(name)
    words = "Everything a program may use is a name of `samplercheck`:"
    parts = ["# Python API", f"{words}\n\n    import samplercheck as sc"]
    for kind, title in kinds.items():
        if found[kind]:
            parts.append(f"## {title}")
            members = "" if kind == "autofunction" else "   :members:\n"
            directives = [f".. {kind}:: samplercheck.{name}\n{members}" for name in found[kind]]
            parts += [f"```{{eval-rst}}\n{directive}```" for directive in directives]
    return "\n\n".join(parts) + "\n"


def _kind_of(what: object) -> str:
    if isinstance(what, type):
        return "autoexception" if issubclass(what, BaseException) else "autoclass"
    return "autofunction" if callable(what) else "automodule"


def formats_page() -> str:
    """Return the JSON Schemas of the files that the kit writes and reads."""
    folder = Path(samplercheck.__file__).parent / "schemas"
    parts = [
        "# File formats",
        (
            "These are the JSON Schemas of what the kit writes and reads; they are installed with it, in "
            "`samplercheck/schemas/`. A format grows by optional fields; its number changes when files "
            "cannot be read any more."
        ),
    ]
    for path in sorted(folder.glob("*.json")):
        schema = json.loads(path.read_text(encoding="utf-8"))
        parts.append(f"## {path.name}\n\n`{schema['$id']}`")
        text = json.dumps(schema, indent=1)
        parts.append(f":::{{dropdown}} The schema\n```json\n{text}\n```\n:::")
    return "\n\n".join(parts) + "\n"


def point_inside(source: list[str]) -> None:
    """Let links to files beside the docs lead to their pages of the site."""
    text = source[0]
    for name, path in INCLUDED.items():
        text = text.replace(f"](../{path})", f"](reference/{name}.md)")
    source[0] = re.sub(r"\[([^\]]*)\]\((?:\.\./)+(?:examples|tests|\.github|action)[^)]*\)", r"`\1`", text)


def make_heard(out: Path) -> None:
    """Write into the built pages what the theme leaves out."""
    for page in out.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        for words, others in HEARD.items():
            text = text.replace(words, others)
        page.write_text(text, encoding="utf-8")


def write_llms(source: Path, out: Path) -> None:
    """Write ``llms.txt``, a list of all pages, and ``llms-full.txt``, all of them in one text."""
    first = source / "index.md"
    pages = sorted(source.rglob("*.md"), key=lambda page: (page != first, page))
    texts = {page.relative_to(source): page.read_text("utf-8") for page in pages}
    lines = ["# samplercheck\n\n> A correctness test-kit for custom PyTorch samplers.\n\n## Pages\n"]
    for page, text in texts.items():
        title = re.search(r"^# (.*)", text, re.MULTILINE)
        if title:
            address = page.with_suffix(".html").as_posix()
            lines.append(f"- [{title[1]}]({address})")
    (out / "llms.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (out / "llms-full.txt").write_text("\n\n".join(texts.values()), encoding="utf-8")


def _prose(text: str) -> str:
    return " ".join(text.split())


def _linked(where: str) -> str:
    """Return a source with a link where it names a thread of GitHub."""
    return re.sub(r"\b([\w.-]+/[\w.-]+)#(\d+)\b", r"[\1#\2](https://github.com/\1/issues/\2)", _prose(where))


def _fence(text: str) -> str:
    return f"```text\n{text}\n```"
