"""Recorded replies as a JSONL file that can be committed and read: one line per prompt and settings.

Prompts of one method share a long beginning, so each line says how many characters it shares with the prompt of
the line before it and gives the rest (front coding): a fiftieth of the size, still plain text.
"""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from react_kit.errors import KitError, unknown
from react_kit.resources import share
from react_kit.trajectory import Call, digest


class Reply(Struct, frozen=True):
    """One reply with what was asked: `request` holds endpoint, model, weights' sha256 and settings."""

    prompt: str
    request: dict[str, Any]
    sample: int
    call: Call


class _Sample(Struct, frozen=True):
    sample: int
    call: Call


class _Line(Struct, frozen=True):
    shared: int
    tail: str
    request: dict[str, Any]
    samples: tuple[_Sample, ...]
    sha: str  # of the samples; the rest is covered by their keys


def _sha(samples: tuple[_Sample, ...]) -> str:
    return digest(msgspec.to_builtins(samples))[:16]


def base_key(request: dict[str, Any], prompt: str) -> str:
    """The key of a request without the number of the sample: a hash of all that decides a reply."""
    return digest([request, prompt])[:24]


class Replay:
    """The replies in a file, by key."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.replies: dict[str, Reply] = {}
        decoder = msgspec.json.Decoder(_Line)
        prompt = ""
        try:
            lines = self.path.read_bytes().splitlines()
        except OSError as e:
            raise KitError(f"cannot read the replay {str(self.path)!r}: {e.strerror}. Check the path.") from e
        for number, text in enumerate(lines, 1):
            try:
                line = decoder.decode(text)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as e:
                raise KitError(
                    f"{self.path} line {number} is not a recorded reply ({e}); export the replay anew."
                ) from e
            prompt = prompt[: line.shared] + line.tail
            base = base_key(line.request, prompt)
            keys = [f"{base}-{s.sample}" for s in line.samples]
            # A line before it was removed, or this one was edited.
            if keys != [s.call.key for s in line.samples] or line.sha != _sha(line.samples):
                raise KitError(
                    f"{self.path} line {number} is not as it was written: the file was edited or lacks a line; "
                    "export the replay anew."
                )
            for key, s in zip(keys, line.samples, strict=True):
                self.replies[key] = Reply(prompt, line.request, s.sample, s.call)

    def get(self, key: str) -> Call | None:
        reply = self.replies.get(key)
        return reply.call if reply else None


def write_replay(replies: Iterable[Reply], path: str | os.PathLike[str]) -> int:
    """Write replies for committing, sorted so that the same replies give the same bytes; returns their number."""
    groups: dict[tuple[str, bytes], dict[int, Call]] = {}
    for r in replies:
        group = r.prompt, msgspec.json.encode(r.request, order="deterministic")
        groups.setdefault(group, {})[r.sample] = r.call
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    before = ""
    with open(path, "wb") as file:
        for (prompt, request), calls in sorted(groups.items(), key=lambda item: item[0]):
            shared = len(os.path.commonprefix([before, prompt]))  # noqa: RUF071 - characters are meant
            samples = tuple(_Sample(k, calls[k]) for k in sorted(calls))
            line = _Line(shared, prompt[shared:], msgspec.json.decode(request), samples, _sha(samples))
            file.write(msgspec.json.encode(line) + b"\n")
            before = prompt
    return sum(map(len, groups.values()))


def shipped_replay(name: str) -> Path:
    """The path of a replay that comes with the kit, or of a file of one's own."""
    if name.endswith(".jsonl") or os.sep in name:
        return Path(name)
    shipped = {path.stem: path for path in share("data", "replays").glob("*.jsonl")}
    if name not in shipped:
        raise unknown("replay", name, shipped, "Or pass the path of a .jsonl file.")
    return shipped[name]
