"""``python -m samplercheck``: the command line."""

from __future__ import annotations

from samplercheck.cli.main import main

if __name__ == "__main__":
    main()
