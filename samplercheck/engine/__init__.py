"""The engine: target + case -> experiments in a world -> trace -> laws -> findings -> report.

``run`` is what ``sc.run`` is; it is also called inside the command line's supervised child.
"""

from __future__ import annotations

from samplercheck.engine._run import run

__all__ = ["run"]
