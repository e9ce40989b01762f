"""All real samplers of the suite, each under the contract that its documentation states.

Read by ``test_field.py``.
"""

from __future__ import annotations

from tests.field.accelerated import ACCELERATED
from tests.field.batched import BATCHED
from tests.field.drawn import DRAWN
from tests.field.metric import METRIC
from tests.field.ranks import RANKS
from tests.field.shuffled import SHUFFLED
from tests.field.streams import STREAMS
from tests.field.trainers import TRAINERS
from tests.field.vision import VISION

__all__ = ["FIELD"]

FIELD = (*ACCELERATED, *TRAINERS, *VISION, *METRIC, *STREAMS, *RANKS, *DRAWN, *SHUFFLED, *BATCHED)
