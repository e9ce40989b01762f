"""All real samplers of the suite, each under the contract that its documentation states.

Read by ``test_field.py``.
"""

from __future__ import annotations

from tests.field.accelerated import ACCELERATED
from tests.field.metric import METRIC
from tests.field.streams import STREAMS
from tests.field.trainers import TRAINERS
from tests.field.vision import VISION

__all__ = ["FIELD"]

FIELD = (*ACCELERATED, *TRAINERS, *VISION, *METRIC, *STREAMS)
