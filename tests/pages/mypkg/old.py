"""The reader's sampler as it was, which a page compares with the new one."""

from mypkg.samplers import MySampler as Sampler

__all__ = ["Sampler"]
