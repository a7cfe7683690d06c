"""The one append-only JSONL file format: locked, flushed, tolerant of a torn line.

Nothing is ever rewritten. A line that was cut off by a crash stays where it is and is skipped; the next
append begins on a fresh line. Removing means appending a tombstone, `{"tombstone": id}`.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import msgspec
from filelock import FileLock

from react_kit.errors import KitError


class Store:
    """JSON lines at `path`. Safe from several threads and processes; readers need no lock."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.torn = 0  # unreadable lines met by the last scan
        self._lock = FileLock(f"{self.path}.lock")

    def append(self, line: bytes) -> int:
        """Write one JSON document; returns its byte offset once it is handed to the system.

        A full disk raises `KitError`; what was recorded before is untouched.
        """
        assert b"\n" not in line
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self._lock, open(self.path, "ab+", buffering=0) as file:
                start = "" if _ends_clean(file) else "\n"
                offset = file.seek(0, os.SEEK_END) + len(start)
                _write_all(file, start.encode() + line + b"\n")
                return offset
        except OSError as e:
            raise KitError(
                f"could not write to {self.path}: {e.strerror or e}. Everything recorded before is intact; "
                "free some space or fix the folder's permissions, then run the same command again to resume."
            ) from e

    def remove(self, id: str) -> None:
        """Append a tombstone: readers no longer see the record called `id`."""
        self.append(msgspec.json.encode({"tombstone": id}))

    def scan(self, start: int = 0) -> Iterator[tuple[int, bytes]]:
        """(byte offset, line) of every whole JSON document from `start` on; counts the others in `torn`."""
        self.torn = 0
        if not self.path.exists():
            return
        with open(self.path, "rb") as file:
            offset = file.seek(start)
            for line in file:
                text = line.strip()
                if _is_json(text):
                    yield offset, text
                elif text:
                    self.torn += 1
                offset += len(line)

    def read(self, offset: int) -> bytes:
        """The line that begins at `offset`."""
        with open(self.path, "rb") as file:
            file.seek(offset)
            return file.readline().strip()


def _ends_clean(file: IO[bytes]) -> bool:
    if file.seek(0, os.SEEK_END) == 0:
        return True
    file.seek(-1, os.SEEK_END)
    return file.read(1) == b"\n"


def _write_all(file: IO[bytes], data: bytes) -> None:
    while data:  # an unbuffered write may take only a part, e.g. when the disk fills up
        data = data[file.write(data) or 0 :]


def _is_json(text: bytes) -> bool:
    try:
        msgspec.json.decode(text, type=msgspec.Raw)
    except (msgspec.DecodeError, RecursionError):  # RecursionError: nested deeper than anything of ours
        return False
    return True
