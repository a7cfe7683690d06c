"""A run: a folder that holds a manifest (`run.json`) and trajectories (`trajectories.jsonl`), read lazily."""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, overload

import msgspec
from msgspec import Struct

from react_kit.errors import KitError
from react_kit.store import Store
from react_kit.trajectory import SCHEMA, Altered, Cell, Trajectory, decode, encode

if TYPE_CHECKING:
    import pandas

Condition = Callable[[Trajectory], bool]


class _Head(Struct):
    """The part of a line that is read when a run is opened."""

    id: str = ""
    cell: Cell | None = None
    tombstone: str = ""
    schema: int = SCHEMA


class Manifest(TypedDict, total=False):
    """`run.json`. `tasks`: split by task; `prompts` and `own_methods`: checksums by name."""

    tasks: dict[str, str]
    prompts: dict[str, str]
    own_methods: dict[str, str]
    methods: list[str]
    samples: int
    model: dict[str, Any]
    corpus: dict[str, str]
    fidelity: str
    early_stop: bool
    versions: dict[str, str]


class Run(Sequence[Trajectory]):
    """The trajectories of one run folder (or of a bare JSONL file), decoded one by one when asked for."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        file = self.path if self.path.suffix == ".jsonl" else self.path / "trajectories.jsonl"
        self.store = Store(file)
        self._rows: list[tuple[int, str, Cell]] = []  # byte offset, id, cell
        self._ids: set[str] = set()
        self._load()

    def _load(self) -> None:
        rows: dict[str, tuple[int, str, Cell]] = {}
        decoder = msgspec.json.Decoder(_Head)
        for offset, line in self.store.scan():
            head = self._head(decoder, offset, line)
            if head.tombstone:
                rows.pop(head.tombstone, None)
            elif head.cell is not None:
                rows.setdefault(head.id, (offset, head.id, head.cell))
        self._rows = list(rows.values())
        self._ids = set(rows)

    def _head(self, decoder: "msgspec.json.Decoder[_Head]", offset: int, line: bytes) -> _Head:
        where = f"{self.store.path} at byte {offset}"
        try:
            head = decoder.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as e:
            raise KitError(f"{where} is not a trajectory ({e}); expected lines written by this kit.") from e
        if head.schema > SCHEMA:
            raise KitError(
                f"{where} has schema {head.schema}, this version of react-kit reads up to {SCHEMA}: update react-kit."
            )
        if not head.tombstone and head.cell is None:
            raise KitError(
                f"{where} is not a trajectory (it has no cell); expected lines written by this kit."
            )
        return head

    @property
    def manifest(self) -> "Manifest":
        """What was run: tasks, methods, model, prompts, versions; empty for a bare JSONL file."""
        file = self.path / "run.json"
        if not file.is_file():
            return {}
        try:
            return msgspec.json.decode(file.read_bytes(), type=Manifest)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as e:
            raise KitError(
                f"{file} is not as this kit wrote it ({e}); restore it, or write to another folder."
            ) from e

    def append(self, trajectory: Trajectory) -> None:
        """Add one trajectory at the end of the file and of this sequence; one that is there already is not added."""
        if trajectory.id in self._ids:
            return
        offset = self.store.append(encode(trajectory))
        self._ids.add(trajectory.id)
        self._rows.append((offset, trajectory.id, trajectory.cell))

    def __len__(self) -> int:
        return len(self._rows)

    def _read(self, row: tuple[int, str, Cell]) -> Trajectory:
        try:
            return decode(self.store.read(row[0]))
        except (msgspec.DecodeError, Altered) as e:
            raise KitError(
                f"{self.store.path} at byte {row[0]} is not as this kit wrote it ({e}). Restore the file, or remove "
                "that line and run the experiment again to play it anew."
            ) from e

    @overload
    def __getitem__(self, at: int) -> Trajectory: ...
    @overload
    def __getitem__(self, at: slice) -> list[Trajectory]: ...
    def __getitem__(self, at: int | slice) -> Trajectory | list[Trajectory]:
        if isinstance(at, slice):
            return [self._read(row) for row in self._rows[at]]
        return self._read(self._rows[at])

    def __iter__(self) -> Iterator[Trajectory]:
        return (self._read(row) for row in self._rows)

    def where(self, condition: Condition | None = None, **cell: object) -> list[Trajectory]:
        """Those whose cell has these values and for which `condition` holds.

        `run.where(method="react", task="fever")`, `run.where(lambda t: "search_miss" in t.notes)`.
        """
        if strange := set(cell) - set(Cell.__struct_fields__):
            raise KitError(
                f"a cell has no {', '.join(sorted(strange))}; expected: {', '.join(Cell.__struct_fields__)}. "
                "For anything else pass a function of the trajectory."
            )
        rows = (row for row in self._rows if all(getattr(row[2], k) == v for k, v in cell.items()))
        found = map(self._read, rows)
        return [t for t in found if condition is None or condition(t)]

    def frame(self) -> "pandas.DataFrame":
        """pandas, one row a trajectory: the cell, question, gold, answer, stop, steps, tokens, notes, scores."""
        return frame(self)

    def __repr__(self) -> str:
        return f"<Run {self.path}: {len(self)} trajectories>"


def frame(trajectories: Sequence[Trajectory]) -> "pandas.DataFrame":
    """One row a trajectory, from anywhere."""
    import pandas as pd

    return pd.DataFrame([_row(t) for t in trajectories])


def _row(t: Trajectory) -> dict[str, object]:
    calls = [call for step in t.steps for call in step.calls]
    return {
        "id": t.id,
        **{name: getattr(t.cell, name) for name in Cell.__struct_fields__},
        "question": t.instance.question,
        "gold": t.instance.answer,
        "answer": t.answer,
        "stop": t.stop,
        "steps": len(t.steps),
        "calls": len(calls),
        "prompt_tokens": sum(c.usage.prompt for c in calls),
        "completion_tokens": sum(c.usage.completion for c in calls),
        "notes": " ".join(t.notes),
        **t.score,
    }


def read_trajectories(path: str | os.PathLike[str]) -> Run:
    """The trajectories in a run folder or a JSONL file."""
    place = Path(path)
    if not (place.is_file() or (place / "trajectories.jsonl").is_file()):
        raise KitError(
            f"no trajectories at {str(place)!r}; expected a run folder with trajectories.jsonl, or a .jsonl file."
        )
    run = Run(place)
    if not run and run.store.torn:
        raise KitError(f"{run.store.path} holds no JSON lines; expected trajectories written by this kit.")
    return run
