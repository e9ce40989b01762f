"""Puts right by hand, in the environment that runs it, what no package that can be installed does.

Run once after installing, ``python tests/field/stand_ins.py``; twice does no harm. It imports nothing of the
kit and changes installed files of torch, torchvision and torchaudio, and of these only where they fail.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

__all__ = ["complete"]

SIX = """# What pytorch-nlp and catalyst ask for and torch no longer has.
import collections.abc as container_abcs
from math import inf

string_classes = (str, bytes)
int_classes = int
"""

OPERATORS = """
# Samplers call no operator: these are names for what is registered on import, in a build for another torch.
_stand_in = torch.library.Library("torchvision", "DEF")
_stand_in.define("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
_stand_in.define("qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
"""


def complete() -> list[str]:
    """Put right what is wrong, and return what was done."""
    done = []
    six = folder_of("torch") / "_six.py"
    if not six.exists():
        six.write_text(SIX, encoding="utf-8")
        done.append(f"wrote {six}")
    if fails("torchvision"):
        extension = folder_of("torchvision") / "extension.py"
        extension.write_text(extension.read_text(encoding="utf-8") + OPERATORS, encoding="utf-8")
        done.append(f"{extension} names the operators that are missing")
    if fails("torchaudio"):
        for library in (folder_of("torchaudio") / "lib").glob("*.so"):
            library.rename(library.with_suffix(".of_another_torch"))
            done.append(f"put {library} aside")
    return done


def fails(package: str) -> bool:
    """Say whether a package is installed and cannot be imported, which a process of its own tries."""
    if importlib.util.find_spec(package) is None:
        return False
    tried = subprocess.run([sys.executable, "-c", f"import {package}"], capture_output=True, check=False)
    return tried.returncode != 0


def folder_of(package: str) -> Path:
    """Return where a package is installed; it is not imported."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise SystemExit(f"{package} is not installed: docs/field.md says what to install")
    return Path(spec.origin).parent


if __name__ == "__main__":
    print(*complete() or ["nothing was missing"], sep="\n")
    still = [package for package in ("torchvision", "torchaudio") if fails(package)]
    sys.exit(f"still not importable: {', '.join(still)}" if still else 0)
