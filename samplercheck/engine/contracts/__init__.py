"""Contracts compared: by which contract a target breaks fewest laws, judged by what it has done already.

Asked by ``infer``, and by a run whose contract is broken. Imports the search and the laws.
"""

from __future__ import annotations

from samplercheck.engine.contracts._coverage import list_drawn
from samplercheck.engine.contracts._inference import Inference, Promise, Refuted
from samplercheck.engine.contracts._judge import ContractJudge
from samplercheck.engine.contracts._proposing import propose, propose_after
from samplercheck.engine.contracts._recorded import RecordedWorld
from samplercheck.engine.contracts._search import InferredContract, search

__all__ = [
    "ContractJudge",
    "Inference",
    "InferredContract",
    "Promise",
    "RecordedWorld",
    "Refuted",
    "list_drawn",
    "propose",
    "propose_after",
    "search",
]
