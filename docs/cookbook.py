"""The cookbook: contracts of a hundred samplers of public packages, and how they are built.

Called by ``pages``. The rows are those of ``tests/field/``, whose test holds them to the packages.
"""

from __future__ import annotations

import inspect
import json
import re
import textwrap
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from samplercheck import Contract
from samplercheck.reports.ways import changes_of, contract_words
from tests.field.targets import FIELD

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from tests.field._field import Sampler

CALLS = re.compile(r"\bmodule\((\w+|\"[\w./]+\")\)")
INTRODUCTION = (
    "What people use, and what to say of it: {count} samplers of {packages} public packages with the "
    "contract that their documentation states. Find the one that is most like yours, and copy its fields. "
    "A nightly suite builds each as it is shown here and holds it to its row; [findings](findings.md) say "
    "why a law is broken. torch's `DistributedSampler` keeps the default contract."
)


def cookbook_page() -> str:
    """Return the page: the packages in the order of their names."""
    rows = sorted(FIELD, key=lambda row: (package_of(row).lower(), row.name))
    parts = [
        "# Cookbook",
        INTRODUCTION.format(count=len(rows), packages=len({package_of(row) for row in rows})),
    ]
    for package, some in groupby(rows, key=package_of):
        parts += [f"## {package}", *map(_recipe, some)]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def package_of(row: Sampler) -> str:
    """Return the package that a sampler comes from, by the name that it is imported by."""
    return re.split(r"[./]", row.place)[0]


def _recipe(row: Sampler) -> str:
    contract = Contract(**row.contract)
    fields = ", ".join(f"{name}={_value(value)}" for name, value in contract.changes().items())
    kept = "Every law holds." if not row.broken else f"Breaks {_links(row.broken)}."
    parts = [
        f"### {row.name}",
        f"What it promises: {row.says}.",
        f"```python\nContract({fields})\n```",
        f"{kept} With `--strict` it also breaks {_links(row.strict)}." if row.strict else kept,
    ]
    if isinstance(row.build, str):
        words = " ".join(contract_words(changes_of(contract)))
        place = f"{_dotted(row.place)}:{row.build}"
        parts.append(f"```console\n$ samplercheck run {place} {words}".rstrip() + "\n```")
    else:
        parts.append(f":::{{dropdown}} How it is built\n```python\n{_source(row.build)}\n```\n:::")
    return "\n\n".join(parts)


def _links(codes: tuple[str, ...]) -> str:
    return ", ".join(f"[{code}](../laws/{code}.md)" for code in codes)


def _value(value: object) -> str:
    return getattr(value, "__name__", None) or (json.dumps(value) if isinstance(value, str) else repr(value))


def _source(build: Callable[..., Any]) -> str:
    """Return the function that builds a sampler, with what it imports written out."""
    names = getattr(build, "__globals__", {})

    def write_out(found: re.Match[str]) -> str:
        place = found[1].strip('"')
        return _dotted(str(names.get(place, place)))

    text = inspect.getsource(build)
    return textwrap.dedent(CALLS.sub(write_out, text)).rstrip()


def _dotted(place: str) -> str:
    return ".".join(Path(place).with_suffix("").parts) if place.endswith(".py") else place
