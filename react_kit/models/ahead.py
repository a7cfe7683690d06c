"""Asking for several samples at once: llama.cpp and most servers share the prompt's cost between them."""

from typing import Any

from react_kit.models.base import Messages, Model
from react_kit.trajectory import Call


class Ahead:
    """When sample `first` is asked for, fetch up to `chunk` samples of that prompt (numbers below `total`)."""

    def __init__(self, model: Model, total: int, chunk: int) -> None:
        self.name, self.identity = model.name, model.identity
        self._model, self._total, self._chunk = model, total, chunk
        self._held: dict[tuple[str, int], Call] = {}  # by request (prompt and settings) and number

    def sample(self, prompt: str | Messages, *, n: int = 1, first: int = 0, **settings: Any) -> list[Call]:
        key = repr((prompt, sorted(settings.items())))
        if n == 1 and (key, first) not in self._held:
            ask = max(1, min(self._chunk, self._total - first))
            calls = self._model.sample(prompt, n=ask, first=first, **settings)
            self._held |= {(key, first + k): call for k, call in enumerate(calls)}
        if n == 1:
            return [self._held[key, first]]
        return self._model.sample(prompt, n=n, first=first, **settings)
