"""What a model is to the kit: text in, `n` replies out."""

from typing import Any, Protocol, runtime_checkable

from react_kit.trajectory import Call

Messages = list[dict[str, str]]


@runtime_checkable
class Model(Protocol):
    """`identity` names everything that decides what a reply says, beside prompt and settings: it is part of
    the cache key and of every record (no port, no credentials)."""

    name: str
    identity: dict[str, Any]

    def sample(
        self,
        prompt: str | Messages,
        *,
        n: int = 1,
        first: int = 0,
        stop: tuple[str, ...] = (),
        temperature: float = 0.0,
        max_tokens: int = 100,
    ) -> list[Call]:
        """Replies number `first` to `first + n - 1` to the same prompt (numbers matter at temperature > 0).

        Raises `Unavailable` when the server cannot be reached or fails.
        """
        ...
