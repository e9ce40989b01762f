"""The engine: target + case -> experiments in a world -> trace -> laws -> findings -> report."""

from __future__ import annotations

from samplercheck.engine._plan import Plan
from samplercheck.engine._run import carry_out

__all__ = ["Plan", "carry_out"]
