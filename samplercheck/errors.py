"""The errors that users catch: ``samplercheck.errors``.

A face of ``values.errors``; nothing inside imports it.
"""

from samplercheck.values import errors as _home
from samplercheck.values.errors import *  # noqa: F403  (all of them, and they say which)

__all__ = _home.__all__
