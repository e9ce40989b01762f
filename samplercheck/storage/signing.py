"""Stamps and owners: how the kit knows its user's own records from files that came from elsewhere.

A case file may be a stranger's, unpacked over the user's own folder. What this user's runs write bears
a stamp that only this user's key makes, and that is worth nothing in another directory or for another
target. Called by the store, by replaying and by what reads a project's settings.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import stat
import sys
from pathlib import Path

from samplercheck.storage.atomic import write_first

KEY_BYTES = 32


def stamp(directory: Path, *said: object) -> str:
    """Return the stamp of what is said in one directory; empty where no key can be kept."""
    key = _key(make=True)
    return _sign(key, directory, said) if key else ""


def is_stamp(text: str, directory: Path, *said: object) -> bool:
    """Whether this is the stamp that this user's key makes."""
    key = _key(make=False)
    return bool(key and text) and hmac.compare_digest(text, _sign(key, directory, said))


def belongs_to_user(path: Path) -> bool:
    """Whether a file or folder is this user's own, or the administrator's, who may do anything anyway.

    Under sudo it is also that of who has called it. What is not there, or has no owner, is nobody else's.
    """
    try:
        return not hasattr(os, "geteuid") or path.stat().st_uid in _trusted()
    except OSError:
        return True


def is_of_project(path: Path, directory: Path) -> bool:
    """Whether who works in a directory may go by a file in or above it.

    Who works in somebody's directory runs what that one wrote, so its owner is trusted as well as the user.
    Of what several share, each may own some files: the folder's owner decides, unless all may write there.
    """
    try:
        here, folder, owner = directory.stat().st_uid, path.parent.stat(), path.stat().st_uid
    except OSError:
        return True
    trusted = {*_trusted(), here} if hasattr(os, "geteuid") else {here, folder.st_uid, owner}
    return folder.st_uid in trusted and (owner in trusted or not folder.st_mode & stat.S_IWOTH)


def _trusted() -> set[int]:
    """Return the numbers of this user, of the administrator and, under sudo, of who has called it."""
    mine = {0, os.geteuid()}
    if os.geteuid() == 0 and os.environ.get("SUDO_UID", "").isdecimal():
        mine.add(int(os.environ["SUDO_UID"]))
    return mine


def _sign(key: bytes, directory: Path, said: tuple[object, ...]) -> str:
    text = json.dumps([str(directory.resolve()), *said], sort_keys=True)
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def _key(*, make: bool) -> bytes:
    """Return the user's key; empty where there is none, and none is to be made or can be."""
    try:
        path = _home() / "samplercheck" / "key"
        if make:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_first(path, secrets.token_bytes(KEY_BYTES), mode=0o600)  # nobody else can read it
        key = path.read_bytes()
    except (OSError, RuntimeError):  # RuntimeError: the user has no home directory
        return b""
    return key if len(key) == KEY_BYTES else b""


def _home() -> Path:
    """Return the directory for what programs remember of a user."""
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
