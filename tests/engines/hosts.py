"""Two hosts on one machine: two network namespaces, joined by a pair of virtual network cards."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING

from tests.engines.launched import ATTACHED, LONGEST, MODULE, Ended, read, settings

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

ADDRESSES = ("10.77.0.1", "10.77.0.2")
HOSTS = ("one", "two")
PORT = "29555"


def why_not() -> str:
    """Why there can be no two hosts here; empty where there can."""
    if shutil.which("ip") is None:
        return "no command ip here: install the package iproute2"
    name = f"kit-try-{os.getpid()}"
    tried = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True, check=False)
    if tried.returncode:
        return f"network namespaces are not permitted here: {tried.stderr.strip()}"
    subprocess.run(["ip", "netns", "delete", name], check=True)
    return ""


class TwoHosts:
    """Two hosts with a link between them; a context manager."""

    def __init__(self) -> None:
        number = os.getpid()
        self._names = [f"kit-{number}-{name}" for name in HOSTS]
        self._cards = [f"kit{number}{letter}" for letter in "ab"]

    def __enter__(self) -> TwoHosts:
        for name in self._names:
            ip("netns", "add", name)
        (one, two), (card, other) = self._names, self._cards
        ip("link", "add", card, "netns", one, "type", "veth", "peer", "name", other, "netns", two)
        for name, own, address in zip(self._names, self._cards, ADDRESSES, strict=True):
            ip("-n", name, "address", "add", f"{address}/24", "dev", own)
            for device in ("lo", own):
                ip("-n", name, "link", "set", device, "up")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for name in self._names:
            ip("netns", "delete", name)

    def cut(self) -> None:
        """Cut the link."""
        ip("-n", self._names[1], "link", "set", self._cards[1], "down")

    def start(self, where: Path, target: str) -> list[subprocess.Popen[str]]:
        """Let torchrun start two ranks on each host; each works in a directory of its own."""
        started = []
        for number, (name, host) in enumerate(zip(self._names, HOSTS, strict=True)):
            (where / host).mkdir()
            words = ["ip", "netns", "exec", name, sys.executable, "-m", "torch.distributed.run"]
            words += ["--nnodes", "2", "--nproc-per-node", "2", "--node-rank", str(number)]
            words += ["--master-addr", ADDRESSES[0], "--master-port", PORT, *MODULE, target, *ATTACHED]
            with (where / host / "said").open("w") as said:
                started.append(
                    subprocess.Popen(
                        words,
                        cwd=where / host,
                        env=settings(GLOO_SOCKET_IFNAME=self._cards[number]),
                        stdout=said,
                        stderr=said,
                        text=True,
                    )
                )
        return started


def await_end(where: Path, started: list[subprocess.Popen[str]]) -> list[Ended]:
    """Wait for the launchers of both hosts; say how each has ended, and after how long."""
    began, ended = time.monotonic(), []
    for host, launcher in zip(HOSTS, started, strict=True):
        try:
            code = launcher.wait(LONGEST)
        except subprocess.TimeoutExpired:
            for one in started:
                one.terminate()
            raise
        seconds, words = time.monotonic() - began, (where / host / "said").read_text()
        ended.append(Ended(code=code, words=words, seconds=seconds, report=read(where / host / "out")))
    return ended


def ip(*words: str) -> None:
    """Call the command ip, which has to succeed."""
    subprocess.run(["ip", *words], check=True)
