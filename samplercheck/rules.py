"""Ready batch rules: ``samplercheck.rules``, as contracts, files and options name them.

A face of ``values.batch_rules`` for users; nothing inside imports it.
"""

from samplercheck.values.batch_rules import at_least, budget, distinct, homogeneous

__all__ = ["at_least", "budget", "distinct", "homogeneous"]
