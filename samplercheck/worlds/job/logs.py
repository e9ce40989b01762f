"""Logs: files of messages that one process appends and others read, and the file that says whose they are."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any

from samplercheck.values.errors import InputError
from samplercheck.values.guarded import GuardedFile, read_guarded
from samplercheck.worlds.groups.messages import GarbledError
from samplercheck.worlds.job.letters import read_letter, write_letter

HEAD = struct.Struct(">II")
LARGEST, LONGEST_NAME = 2**34, 2**10


class Log:
    """A file of messages, appended by one process and read by another."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._offset = 0

    def append(self, message: Any) -> None:
        """Write a message behind the others."""
        content = write_letter(message)
        with self.path.open("ab") as file:
            file.write(HEAD.pack(len(content), zlib.crc32(content)) + content)

    def read(self) -> list[Any]:
        """Return the messages that have come since; EOFError where the file is gone or is no log."""
        try:
            file = GuardedFile(self.path, "log of a job", LARGEST)
            if file.size <= self._offset:
                return []
            content = file.read([(self._offset, file.size - self._offset)])
            return list(self._split(bytes(content)))
        except (InputError, GarbledError) as error:
            raise EOFError(str(error)) from None

    def _split(self, content: bytes) -> list[Any]:
        at, messages = 0, []
        while at + HEAD.size <= len(content):
            length, check = HEAD.unpack_from(content, at)
            letter = content[at + HEAD.size : at + HEAD.size + length]
            if len(letter) < length or zlib.crc32(letter) != check:
                break  # not all there yet
            messages.append(read_letter(letter))
            at += HEAD.size + length
        self._offset += at
        return messages


def number_in(leader: Path) -> str:
    """Return the number of the job that a directory belongs to, empty where there is none."""
    try:
        number = read_guarded(leader, "name of a job", LONGEST_NAME).decode("ascii", "replace").strip()
    except InputError:
        return ""
    return number if number.isalnum() else ""
