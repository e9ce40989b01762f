"""All tables of what the kit costs, in one command: ``python -m tests.benchmarks [LENGTH [RANKS]]``.

On what machine, then the small scope, growth, long passes and large worlds (of LENGTH and RANKS, as for
``scale.py``), process groups beside their peers, and jobs. It takes some twenty minutes on two processors.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

PARTS = {
    "small_scope": "Small scope",
    "growth": "Growth with the dataset and the world",
    "scale": "Long passes and large worlds",
    "groups": "Process groups beside their peers",
    "jobs": "Jobs",
}
PACKAGES = ("samplercheck", "torch", "numpy", "hypothesis", "pytest")


def describe_machine() -> str:
    """Say where, and with what, it is measured."""
    known = Path("/proc/cpuinfo")
    lines = known.read_text(encoding="utf-8").splitlines() if known.exists() else []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    processor = next(named, platform.processor() or "a processor without a name")
    software = f"{platform.system()}, Python {platform.python_version()}, {packages}"
    return f"{processor}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before; {software}"


def main(*sizes: str) -> int:
    """Print every table; return 1 where one could not be made."""
    print(f"{describe_machine()}\n", flush=True)
    failed = []
    for name, title in PARTS.items():
        began = time.perf_counter()
        print(f"## {title}\n", flush=True)
        place = Path(__file__).with_name(f"{name}.py")
        done = subprocess.run([sys.executable, str(place), *(sizes if name == "scale" else ())], check=False)
        failed += [name] if done.returncode else []
        print(f"\n({name}.py, {time.perf_counter() - began:.0f} s)\n", flush=True)
    print(f"not made: {', '.join(failed)}" if failed else "all made")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
