"""The reader's sampler as it is now, which a page compares with the old one."""

from mypkg.samplers import MySampler as Sampler

__all__ = ["Sampler"]
