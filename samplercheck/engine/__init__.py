"""The engine: target + case -> experiments in a world -> trace -> laws -> findings -> report."""

from __future__ import annotations

from samplercheck.engine._look import cases_to_look_at, look
from samplercheck.engine._plan import Plan
from samplercheck.engine._probe import probe
from samplercheck.engine._run import carry_out

__all__ = ["Plan", "carry_out", "cases_to_look_at", "look", "probe"]
