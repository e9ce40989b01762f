"""A fresh interpreter sees this one's module path and flags, and none of the kit's own words."""

from __future__ import annotations

import json
import subprocess
import sys

from samplercheck.worlds.processes.command import command

TELLS = """
import json, sys
def main(*words):
    print(json.dumps([words, sys.argv, sys.path, sys.flags.optimize]))
"""


def test_a_module_that_only_this_process_finds_is_started_with_its_words_as_text(tmp_path, monkeypatch):
    (tmp_path / "tells.py").write_text(TELLS)
    monkeypatch.syspath_prepend(str(tmp_path))
    done = subprocess.run(command("tells", 3, "a b"), cwd="/", capture_output=True, text=True, check=True)
    words, arguments, path, optimised = json.loads(done.stdout)
    assert words == ["3", "a b"]
    assert arguments == ["-c"]
    assert path == sys.path
    assert optimised == sys.flags.optimize
