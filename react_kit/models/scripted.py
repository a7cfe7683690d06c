"""Recorded replies before a model's own: how an episode is brought to a step again."""

from collections.abc import Sequence
from typing import Any

from react_kit.models.base import Messages, Model
from react_kit.trajectory import Call


class Scripted:
    """A model that first repeats recorded replies, then asks the real one."""

    def __init__(self, model: Model, calls: Sequence[Call]) -> None:
        self.name, self.identity, self._model = model.name, model.identity, model
        self._left = list(calls)

    def sample(self, prompt: str | Messages, **settings: Any) -> list[Call]:
        return [self._left.pop(0)] if self._left else self._model.sample(prompt, **settings)
