"""Runs the small script under torchrun on two nodes that are both here: ``nodes.py RANKS_EACH DIR ...``."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path

SCRIPT = str(Path(__file__).with_name("script.py"))


def find_port():
    """Return a port that nobody uses now."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def start_node(rank, port, ranks, words):
    place = ("--master-addr", "127.0.0.1", "--master-port", str(port), "--nproc-per-node", ranks)
    agent = (sys.executable, "-m", "torch.distributed.run", "--nnodes", "2", "--node-rank", str(rank))
    return subprocess.Popen([*agent, *place, SCRIPT, *words])


if __name__ == "__main__":
    _, ranks, *words = sys.argv
    port = find_port()
    nodes = [start_node(rank, port, ranks, words) for rank in range(2)]
    sys.exit(max(abs(one.wait()) for one in nodes))
