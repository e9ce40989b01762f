"""Configuration: ``[tool.samplercheck]`` in pyproject.toml, the environment, and who overrules whom.

Read by the command line and by the pytest plugin. What is misspelt is an error that names the
nearest. Imports values and the names of profiles and worlds: no torch, no numpy, no target.
"""

from __future__ import annotations

from samplercheck.running.config._file import SECTION, Config, read_config
from samplercheck.running.config._settings import Chosen, effective, environment, layer
from samplercheck.running.config._targets import ConfiguredTarget, KnownEntry
from samplercheck.running.config._values import size_from

__all__ = [
    "SECTION",
    "Chosen",
    "Config",
    "ConfiguredTarget",
    "KnownEntry",
    "effective",
    "environment",
    "layer",
    "read_config",
    "size_from",
]
