"""What the rank processes of these tests do instead of a rank's real work."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

HERE = __name__


def entry(function):
    """Name a function of this module as a job does."""
    return {"entry": f"{HERE}:{function.__name__}"}


def echo(job, connection):
    while True:
        try:
            connection.send((connection.recv(), os.getpid(), job.get("word")))
        except EOFError:
            return


def surroundings(_, connection):
    import torch

    connection.send(
        {
            "session": os.getsid(0),
            "pid": os.getpid(),
            "path": sys.path,
            "hash_seed": os.environ["PYTHONHASHSEED"],
            "loopback": os.environ.get("GLOO_SOCKET_IFNAME"),
            "threads": torch.get_num_threads(),
            "interrupt": signal.getsignal(signal.SIGINT) is signal.default_int_handler,
            "daemon": __import__("multiprocessing").current_process().daemon,
            "modules": [name for name in sys.modules if name.startswith("loaded_")],
            "quiet": sorted({"OPENBLAS_NUM_THREADS", "JE_ARROW_MALLOC_CONF"} & os.environ.keys()),
            "stdin": os.read(0, 1),
            "descriptors": sum(1 for _ in Path("/proc/self/fd").iterdir()) if sys.platform == "linux" else 0,
        }
    )
    connection.recv()


def leave(job, _):
    os._exit(job["code"])


def fall(*_):
    ctypes.string_at(0)


def throw(*_):
    raise RuntimeError("thrown on purpose")


def swallow(_, connection):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    connection.send(os.getpid())
    while True:
        try:
            time.sleep(0.01)
        except BaseException:  # noqa: BLE001
            continue


def hold_the_lock(_, connection):
    connection.send(os.getpid())
    ctypes.PyDLL(None).pause()  # keeps the interpreter's lock


def flood(_, connection):
    for _ in range(2_000):
        os.write(1, b"x" * 10_000 + b"\n")
        os.write(2, b"y" * 10_000 + b"\n")
    os.write(2, b"the last line\n")
    connection.send("flooded")
    connection.recv()


def close_everything(_, connection):
    connection.send(os.getpid())
    os.closerange(0, 1_000)
    time.sleep(600)


def close_everything_and_leave(*_):
    os.closerange(0, 1_000)
    os._exit(5)


def start_others(job, connection):
    """Start a child, a grandchild of an ended child, and one that has left the session as daemons do."""
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    ours, theirs = os.pipe()
    if not os.fork():
        os.setsid()
        if os.fork():
            os._exit(0)
        os.write(theirs, str(os.getpid()).encode())
        time.sleep(600)
    time.sleep(0.1)
    threading.Thread(target=time.sleep, args=(600,), daemon=True).start()
    connection.send((child.pid, int(os.read(ours, 100))))
    if job.get("ends"):
        os._exit(0)
    time.sleep(600)


def open_shared_memory(_, connection):
    """Use what multiprocessing keeps in files."""
    from multiprocessing import util

    connection.send(util.get_temp_dir())
    connection.recv()


def opened(parcel):
    """Stand in for what opens parcels: import the module that the parcel names."""
    __import__(parcel.decode())


def echo_once(_, connection):
    connection.send(os.getpid())
    echo({}, connection)
