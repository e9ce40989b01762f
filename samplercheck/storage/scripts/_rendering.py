"""From functions to one file of plain Python: their sources, what those need, the case as data, and the end.

Called by ``script_of``. Pure but for reading this package's own sources.
"""

from __future__ import annotations

import ast
import inspect
import pprint
import re
import sys
import textwrap
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

OWN_NOTES = re.compile(r"  # (noqa|type: ignore)\b.*$", re.MULTILINE)
DOCSTRINGS = re.compile(r'""".*?"""', re.DOTALL)
WIDTH = 100


def format_file(
    docstring: str, constants: dict[str, Any], parts: Iterable[Any], ending: Sequence[str]
) -> str:
    """Return the text of a script."""
    needed: dict[str, str] = {}
    modules: dict[str, None] = {}
    for part in parts:
        _add(part, needed, modules)
    called = textwrap.indent("\n".join(ending), "    ")
    blocks = [text for text in needed.values() if "\n" in text]
    body = "\n\n\n".join([*blocks, f'if __name__ == "__main__":\n{called}'])
    constants = {**constants, "PROMISES": [_keep_named(promise, body) for promise in constants["PROMISES"]]}
    values = [format_value(name, value) for name, value in constants.items()]
    values += [text for text in needed.values() if "\n" not in text]
    lines = {
        line for module in modules for line in _imports(module) if _is_used(line.rpartition(" ")[2], body)
    }
    imports = sorted(lines, key=lambda line: ("torch" in line, line.startswith("from"), line))
    head = [f'"""{docstring}"""', "from __future__ import annotations", "\n".join(imports), "\n".join(values)]
    return "\n\n".join(head) + f"\n\n\n{body}\n"


def format_value(name: str, value: Any) -> str:
    """Return the lines that assign a value, or without a name the value alone."""
    start = f"{name} = " if name else ""
    text = pprint.pformat(value, width=WIDTH - len(start), sort_dicts=False, compact=True)
    return start + textwrap.indent(text, " " * len(start)).lstrip()


def _add(part: Any, needed: dict[str, str], modules: dict[str, None]) -> None:
    """Add the source of a function or class behind those of all that it names."""
    if part.__name__ in needed:
        return
    text, names = _source(part), vars(sys.modules[part.__module__])
    needed[part.__name__] = modules[part.__module__] = None  # type: ignore[assignment]  # it may name itself
    for name in dict.fromkeys(re.findall(r"\w+", DOCSTRINGS.sub("", text))):
        value = names.get(name)
        if (getattr(value, "__module__", None) or "").startswith("samplercheck."):
            _add(value, needed, modules)
        elif name.isupper() and isinstance(value, (int, float, str, tuple, list)):
            needed[name] = f"{name} = {value!r}"
    del needed[part.__name__]
    needed[part.__name__] = text


@cache
def _source(part: Any) -> str:
    """Return the source of a function or class, without notes to this package's own tools."""
    return OWN_NOTES.sub("", inspect.getsource(part)).strip()


@cache
def _imports(module: str) -> list[str]:
    """Return the imports at the head of a module, one name each, but for those of this package."""
    body = ast.parse(inspect.getsource(sys.modules[module])).body
    body += [line for block in body if isinstance(block, ast.If) for line in block.body]
    found = []
    for line in body:
        if isinstance(line, (ast.Import, ast.ImportFrom)) and "samplercheck" not in ast.unparse(line):
            start = f"from {line.module} import" if isinstance(line, ast.ImportFrom) else "import"
            found += [f"{start} {name.name}" for name in line.names]
    return found


def _keep_named(promise: dict[str, Any], body: str) -> dict[str, Any]:
    """Return what the body of the script asks for."""
    return {name: value for name, value in promise.items() if re.search(rf"(['\"]|contract\.){name}\b", body)}


def _is_used(name: str, body: str) -> bool:
    """Whether a name stands in the body; annotations count."""
    return re.search(rf"\b{re.escape(name)}\b", body) is not None
