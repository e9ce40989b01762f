"""From functions to one file of plain Python: their sources, the case as data, and what calls them.

Called by ``script_of``. Pure but for reading this package's own sources.
"""

from __future__ import annotations

import inspect
import pprint
import re
import textwrap
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["file_of"]

IMPORTS = (
    "import copy",
    "import faulthandler",
    "import importlib",
    "import importlib.util",
    "import inspect",
    "import io",
    "import json",
    "import math",
    "import os",
    "import pickle",
    "import random",
    "import sys",
    "import tempfile",
    "import traceback",
    "from bisect import bisect_right",
    "from collections import Counter",
    "from collections.abc import Callable",
    "from collections.abc import Iterator",
    "from datetime import timedelta",
    "from functools import partial",
    "from itertools import islice",
    "from itertools import pairwise",
    "from itertools import zip_longest",
    "from pathlib import Path",
    "from types import SimpleNamespace",
    "from typing import Any",
    "",
    "import torch",
)
_OWN_NOTES = re.compile(r"  # (noqa|type: ignore)\b.*$", re.MULTILINE)
WIDTH = 100


def file_of(docstring: str, constants: dict[str, Any], parts: Iterable[Any], ending: Sequence[str]) -> str:
    """Return the text of a script."""
    body = "\n\n\n".join(dict.fromkeys(map(_source, parts)))
    values = "\n".join(_assigned(name, value) for name, value in constants.items())
    imports = "\n".join(line for line in IMPORTS if _is_used(line, body))
    head = f'"""{docstring}"""\n\nfrom __future__ import annotations\n\n{imports}\n\n{values}'
    called = textwrap.indent("\n".join(ending), "    ")
    return f'{head}\n\n\n{body}\n\n\nif __name__ == "__main__":\n{called}\n'


@cache
def _source(part: Any) -> str:
    """Return the source of a function or class, or the line of a constant given as text."""
    text = part if isinstance(part, str) else inspect.getsource(part)
    return _OWN_NOTES.sub("", text).strip()


def _assigned(name: str, value: Any) -> str:
    text = pprint.pformat(value, width=WIDTH - len(name) - 3, sort_dicts=False, compact=True)
    return f"{name} = {textwrap.indent(text, ' ' * (len(name) + 3)).lstrip()}"


def _is_used(line: str, body: str) -> bool:
    """Whether an imported name stands in the body; annotations count."""
    name = line.rpartition("import ")[2]
    return not line or re.search(rf"\b{re.escape(name)}\b", body) is not None
