"""What the processes do that the tests of copies start."""

from __future__ import annotations

import ctypes
import json
import os
import random
import signal
import sys
import threading
import time
from pathlib import Path

from samplercheck.worlds.processes import copies, lifetime

HERE = __name__


def main(what, path, *words):
    """Do one of these things; the test reads from ``path`` what it notes."""
    globals()[what](Path(path), *words)


def note(path, what):
    other = path.with_suffix(".new")
    other.write_text(json.dumps(what))
    other.rename(path)


def tell(path):
    """Note where this process is and what it has."""
    inherited = [source for source in copies._sources.values() if source.is_inherited]
    note(
        path,
        {
            "arguments": sys.argv,
            "path": sys.path,
            "directory": str(Path.cwd()),
            "environment": dict(os.environ),
            "leads": os.getsid(0) == os.getpid(),
            "interrupt": signal.getsignal(signal.SIGINT) is signal.default_int_handler,
            "child": str(signal.getsignal(signal.SIGCHLD)),
            "blocked": list(map(int, signal.pthread_sigmask(signal.SIG_BLOCK, []))),
            "descriptors": len(list(Path("/proc/self/fd").iterdir())) - len(inherited),
            "output": Path("/proc/self/fd/1").readlink().name,
            "threads": lifetime.count_threads(),
            "hash": hash("samplercheck"),
            "main": str(vars(sys.modules["__main__"]).get("__file__")),
            "random": random.random(),
            "modules": sorted(sys.modules),
        },
    )


def stay(path):
    """Be a target: with a module, with a thread, and for long."""
    import tests.worlds.processes.ranks  # noqa: F401  (stands for a target's module)

    lifetime.end_with_lifeline(lifetime.take_lifeline())
    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
    note(path, [os.getpid(), os.getppid()])
    time.sleep(600)


def leave(_, code):
    os._exit(int(code))


def fall(_):
    ctypes.string_at(0)


def throw(_):
    raise RuntimeError("thrown on purpose")


def copy_itself(path):
    """Note how a copy of this copy has ended, and what that had to tell."""
    told = path.with_name("told")
    sys.path.insert(0, str(path.parent))  # as where a target is found by name
    copy = copies.start(HERE, "tell", told, stderr=2)
    status = [copies._sources["0"].is_inherited, copy.wait(30)]
    os.environ["CHANGED"] = "by the target"
    other = copies.start(HERE, "leave", told, 4, stderr=2)
    seen = json.loads(told.read_text())
    note(path, [status, [copies._sources["0"].is_inherited, other.wait(30)], seen["modules"], seen["path"]])
