"""A server's answer in the OpenAI format, checked before anything of it is recorded."""

import json
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from react_kit.trajectory import Call, Usage

PATIENCE = 120  # seconds in which a reply that has begun must be complete
LARGEST = 32_000_000  # bytes of one reply
LONGEST = 100_000  # characters of one reply; a server that does not keep to max_tokens must not fill the disk

Count = Annotated[int, Meta(ge=0)] | None


class _Message(Struct):
    content: str | list[Any] | None = None  # some servers send a list of parts
    reasoning_content: Any = None
    reasoning: Any = None


class _Choice(Struct):
    index: int | None = None
    finish_reason: str | None = None
    text: str | None = None
    message: _Message | None = None

    @property
    def said(self) -> str:
        return _whole(self.message.content if self.message else self.text)

    @property
    def reasoning(self) -> str | None:
        """The reasoning, where the server gives it apart."""
        found = self.message and (self.message.reasoning_content or self.message.reasoning)
        return _whole(found) if isinstance(found, str) else None


class _Details(Struct):
    cached_tokens: Count = None


class _Usage(Struct):
    prompt_tokens: Count = None
    completion_tokens: Count = None
    prompt_tokens_details: _Details | None = None


class _Answer(Struct):
    choices: list[_Choice]
    usage: _Usage | None = None


def guarded(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """A reply's bytes as they come. A server that drips them, or never ends, raises `ValueError`."""
    size, until = 0, time.monotonic() + PATIENCE
    for chunk in chunks:
        size += len(chunk)
        if size > LARGEST:
            raise ValueError(f"its reply is larger than {LARGEST // 10**6} MB")
        if time.monotonic() > until:
            raise ValueError(f"its reply was not complete after {PATIENCE} s")
        yield chunk


def read_answer(body: bytes, sent: tuple[str, ...], count: Callable[[str], int] | None = None) -> list[Call]:
    """The answer's choices as calls without keys, in the order of their numbers.

    Raises `ValueError` for anything but an answer. `count` counts the tokens of a text, for servers whose own figure
    covers one choice only.
    """
    try:
        plain = json.loads(body)  # not msgspec: it refuses half a character, as left by a reply's limit
        answer = msgspec.convert(plain, _Answer, strict=False)
    except (ValueError, RecursionError) as e:
        raise ValueError(f"its answer is not in the OpenAI format ({e}): {bytes(body[:80])!r}") from e
    choices = sorted(answer.choices, key=lambda c: c.index or 0)  # without numbers they stay as they came
    usages = _usages(answer.usage, [c.said for c in choices], count)
    return [_call(c, usage, sent) for c, usage in zip(choices, usages, strict=True)]


def _call(choice: _Choice, usage: Usage, sent: tuple[str, ...]) -> Call:
    text, reasoning, finish = choice.said, choice.reasoning, _whole(choice.finish_reason or "stop")
    if len(text) > LONGEST:
        text, finish = text[:LONGEST], "length"
    return Call("", text, reasoning and reasoning[:LONGEST], finish[:100], usage, sent)


def _usages(given: _Usage | None, texts: list[str], count: Callable[[str], int] | None) -> list[Usage]:
    """Tokens per choice. The prompt is paid once: the first choice carries it."""
    if given is None:
        return [Usage() for _ in texts]
    details, total, n = given.prompt_tokens_details, given.completion_tokens or 0, len(texts)
    if count and n > 1:
        completion = [count(text) for text in texts]
    else:
        completion = [total // n + (i < total % n) for i in range(n)]
    first = given.prompt_tokens or 0, (details.cached_tokens or 0) if details else 0
    return [Usage(*((first[0], c, first[1]) if i == 0 else (0, c))) for i, c in enumerate(completion)]


def _whole(text: Any) -> str:
    """Text that can be written as UTF-8: half of a character becomes `\ufffd`."""
    if isinstance(text, list):
        text = "".join(str(part.get("text") or "" if isinstance(part, dict) else part) for part in text)
    return str(text or "").encode("utf-16", "surrogatepass").decode("utf-16", "replace")
