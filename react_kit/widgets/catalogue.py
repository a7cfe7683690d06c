"""What a reader chooses from: one light row per trajectory, filters, search; a trajectory is decoded when opened."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from react_kit.errors import KitError, expect
from react_kit.run import Run
from react_kit.trajectory import SCHEMA, Cell, Instance, Parent, Stop, Trajectory, decode, encode

FACETS = ("task", "method", "verdict", "stop", "note")
VERDICTS = {1.0: "right", 0.0: "wrong"}  # by the task's own score; in between: partly


class _Notes(Struct):
    notes: tuple[str, ...] = ()


class _Brief(Struct):
    """The part of a line that a row shows."""

    id: str = ""
    cell: Cell | None = None
    instance: Instance | None = None
    steps: tuple[_Notes, ...] = ()
    answer: str | None = None
    stop: Stop = "unfinished"
    score: dict[str, float] = {}
    parent: Parent | None = None
    schema: int = SCHEMA
    tombstone: str = ""


class Row(Struct, frozen=True):
    """`place`: byte offset in the run's file, or position in the sequence. `notes`: note → steps that carry it."""

    place: int
    id: str
    task: str
    method: str
    sample: str  # "" for a greedy episode
    question: str
    gold: str | None
    answer: str | None
    verdict: str
    stop: str
    notes: dict[str, int]
    steps: int
    parent: str

    def has(self, facet: str, value: str) -> bool:
        return value in self.notes if facet == "note" else getattr(self, facet) == value


class Catalogue:
    """Rows of a run, which may still grow, or of trajectories in memory."""

    def __init__(self, trajectories: Run | Sequence[Trajectory] | Trajectory) -> None:
        self.problems: list[str] = []  # lines that could not be read, each with its place and what to do
        self.rows: list[Row] = []
        self._end, self._decoder = 0, msgspec.json.Decoder(_Brief)
        self._run = trajectories if isinstance(trajectories, Run) else None
        self._memory: list[Trajectory] = []
        if isinstance(trajectories, Trajectory):
            trajectories = [trajectories]
        expect("the trajectories", trajectories, Iterable, "a run, or trajectories, e.g. run.where(...)")
        for t in () if self._run is not None else trajectories:
            self.add(t)
        self.refresh()

    def __len__(self) -> int:
        return len(self.rows)

    def add(self, t: Trajectory) -> int:
        """Take up a trajectory that is in no file of this run, such as a branch; returns its number."""
        expect("a trajectory", t, Trajectory, "a trajectory, e.g. run[0]")
        self._memory.append(t)
        brief = self._decoder.decode(encode(t))
        self.rows.append(_row(-len(self._memory), brief))
        return len(self.rows) - 1

    def update(self, number: int, t: Trajectory) -> None:
        """Another state of a trajectory that was added, as when an episode goes on."""
        place = self.rows[number].place
        self._memory[-place - 1] = t
        self.rows[number] = _row(place, self._decoder.decode(encode(t)))

    def refresh(self) -> int:
        """Read what the run's file has grown by; returns how many rows are new."""
        if self._run is None:
            return 0
        before = len(self.rows)
        known = {row.id for row in self.rows}
        for offset, line in self._run.store.scan(self._end):
            self._end = offset + len(line) + 1
            self._read(offset, line, known)
        return len(self.rows) - before

    def _read(self, offset: int, line: bytes, known: set[str]) -> None:
        assert self._run is not None
        where = f"{self._run.store.path} at byte {offset}"
        try:
            brief = self._decoder.decode(line)
        except (msgspec.DecodeError, RecursionError) as e:
            self.problems.append(f"{where} is not a trajectory ({e}); it is left out.")
            return
        if brief.tombstone:
            self.rows = [row for row in self.rows if row.id != brief.tombstone]
        elif brief.schema > SCHEMA:
            self.problems.append(
                f"{where} has schema {brief.schema}, newer than this react-kit's {SCHEMA}; update react-kit to read it."
            )
        elif brief.cell is None or brief.instance is None:
            self.problems.append(f"{where} is not a trajectory (it has no cell or instance); it is left out.")
        elif brief.id not in known:
            known.add(brief.id)
            self.rows.append(_row(offset, brief))

    def __getitem__(self, number: int) -> Trajectory:
        """The whole trajectory; raises `KitError` where the file no longer holds what was written."""
        place = self.rows[number].place
        if place < 0:
            return self._memory[-place - 1]
        assert self._run is not None
        try:
            return decode(self._run.store.read(place))
        except (msgspec.DecodeError, ValueError) as e:
            raise KitError(
                f"{self._run.store.path} at byte {place} is not as this kit wrote it ({e}). Restore the file, or "
                "remove that line and run the experiment again."
            ) from e

    def find(self, chosen: Mapping[str, str], text: str = "") -> list[int]:
        """Numbers of the rows with these values of `FACETS`, whose question, answer or steps hold `text`."""
        numbers = [n for n, row in enumerate(self.rows) if all(row.has(f, v) for f, v in chosen.items() if v)]
        needle = text.casefold().strip()
        return [n for n in numbers if needle in self._text(n)] if needle else numbers

    def facets(self) -> dict[str, dict[str, int]]:
        """Facet → value → number of rows, for the filters."""
        counts: dict[str, Counter[str]] = {facet: Counter() for facet in FACETS}
        for row in self.rows:
            counts["note"].update(dict.fromkeys(row.notes, 1))
            for facet in FACETS[:-1]:
                counts[facet][getattr(row, facet)] += 1
        return {facet: dict(sorted(count.items())) for facet, count in counts.items()}

    def _text(self, number: int) -> str:
        try:
            return "\n".join(_texts(self[number])).casefold()
        except KitError:  # said when it is opened
            return ""

    def children(self, id: str) -> list[int]:
        """Numbers of the branches of a trajectory."""
        return [n for n, row in enumerate(self.rows) if row.parent == id]


def _row(place: int, brief: _Brief) -> Row:
    assert brief.cell is not None
    assert brief.instance is not None
    main = next(iter(brief.score.values()), None)
    return Row(
        place,
        brief.id,
        brief.cell.task,
        brief.cell.method,
        f"sample {brief.cell.sample}" if brief.cell.temperature else "",
        brief.instance.question,
        brief.instance.answer,
        brief.answer,
        "unscored" if main is None else VERDICTS.get(main, "partly"),
        brief.stop,
        dict(Counter(note for step in brief.steps for note in step.notes)),
        len(brief.steps),
        brief.parent.id if brief.parent else "",
    )


def _texts(t: Trajectory) -> Iterator[str]:
    yield from (t.instance.question, t.instance.answer or "", t.answer or "")
    for step in t.steps:
        yield step.thought or ""
        yield step.action.raw if step.action else ""
        yield step.observation.text if step.observation else ""


def plain(row: Row) -> dict[str, Any]:
    """A row for the browser."""
    return msgspec.to_builtins(row)  # type: ignore[no-any-return]
