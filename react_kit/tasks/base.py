"""What a task is: instances, prompts, an environment, a score, a step limit."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import overload

from msgspec import Struct

from react_kit.corpora.page import Corpus
from react_kit.envs.base import Env
from react_kit.errors import KitError, expect
from react_kit.fidelity import Fidelity
from react_kit.prompts import Prompts
from react_kit.trajectory import Instance
from react_kit.worlds.fable import Fable


class Task(Struct, frozen=True):
    """A benchmark. `splits` maps a split's name to a shipped file; `invented` takes a fable's, the
    deep ones or the others; `metric` is the main
    score's name in `score`.

    `title` and `metric_title` are for tables and axes.
    """

    name: str
    title: str
    metric: str
    metric_title: str
    splits: dict[str, tuple[str, ...]]
    load: Callable[[Path], list[Instance]]
    invented: Callable[[Fable, bool], list[Instance]]
    prompts: Callable[[], Prompts]
    make_env: Callable[[Corpus, Fidelity], Env]
    score: Callable[[Instance, str | None], dict[str, float]]
    limit: Callable[[Fidelity, Instance], int]


class Instances(Sequence[Instance]):
    """The instances of one task and split; slices keep the task."""

    def __init__(self, task: Task, split: str, items: Sequence[Instance]) -> None:
        self.task, self.split, self._items = task, split, tuple(items)

    def __len__(self) -> int:
        return len(self._items)

    @overload
    def __getitem__(self, at: int) -> Instance: ...
    @overload
    def __getitem__(self, at: slice) -> "Instances": ...
    def __getitem__(self, at: int | slice) -> "Instance | Instances":
        if isinstance(at, slice):
            return Instances(self.task, self.split, self._items[at])
        return self._items[at]

    def draw(self, n: int | None = None, seed: int | None = None) -> "Instances":
        """`n` instances: the first ones, or drawn at random by `seed` (in their original order). None: all."""
        import random

        if n is None:
            return self
        expect("n", n, int, "a whole number of instances, or None for all")
        if n < 1:
            raise KitError(f"n is {n}; expected at least 1 instance.")
        if seed is None:
            return self[:n]
        chosen = random.Random(seed).sample(range(len(self)), min(n, len(self)))
        return Instances(self.task, self.split, [self._items[i] for i in sorted(chosen)])

    def __repr__(self) -> str:
        return f"<{self.task.title} {self.split}: {len(self)} instances>"
