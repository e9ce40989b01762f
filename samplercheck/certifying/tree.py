"""The state of a working tree: which commit, and what is not in it.

Called before a certificate is made. Asks git where there is one; imports the standard library alone.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from samplercheck.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

__all__ = ["Tree", "state_of"]

LONGEST = 60
GIT = ("git", "--no-optional-locks", "-c", "core.quotePath=false")


@dataclass(frozen=True, slots=True)
class Tree:
    """The commit that is checked out, empty outside of version control, and the paths that differ from it."""

    commit: str = ""
    changed: tuple[str, ...] = ()


def state_of(root: Path, sources: Iterable[str]) -> Tree:
    """Return the state of a project: what is changed in it, and which of the sources it does not know."""
    if not any((one / ".git").exists() for one in (root, *root.parents)):
        return Tree()
    commit = _git(root, "rev-parse", "--verify", "HEAD").strip()
    lines = _git(root, "status", "--porcelain", "-z", "--untracked-files=no").split("\0")
    known = set(_git(root, "ls-files", "-z", "--", *sources).split("\0"))
    unknown = [name for name in sources if name not in known]
    return Tree(commit, tuple(sorted({*(line[3:] for line in lines if line), *unknown})))


def _git(root: Path, *words: str) -> str:
    try:
        done = subprocess.run(  # noqa: S603  (git, with words of the kit's own)
            [*GIT, "-C", str(root), *words], capture_output=True, check=True, timeout=LONGEST
        )
    except (OSError, subprocess.SubprocessError) as error:
        said = getattr(error, "stderr", None) or b""
        raise UsageError(
            f"git cannot say which commit {root} is at: {said.decode('utf-8', 'replace').strip() or error}. "
            "Commit something, or mend the repository."
        ) from None
    return done.stdout.decode("utf-8", "surrogateescape")
