"""The record: what an episode leaves behind, and the words everything else uses.

Names are the paper's: thought, action, observation, trajectory, sample. A trajectory is plain data
(frozen structs); scoring, display and files live elsewhere.
"""

import hashlib
from collections.abc import Callable, Iterable
from typing import Any, Literal, cast

import msgspec
from msgspec import Struct

SCHEMA = 1

# Fields that have their default are not written: lines stay short, and ids and checksums stay the same when a
# later version adds a field.

# Why an episode ended. "unparsable": the reply holds no answer; "unavailable": infrastructure, not the model;
# "unfinished": still running or interrupted by the user.
Stop = Literal["answered", "step_limit", "unparsable", "unavailable", "unfinished"]


class SentenceRef(Struct, frozen=True, omit_defaults=True, order=True):
    """A sentence of a corpus: article title and sentence number, from 0."""

    title: str
    id: int


class Action(Struct, frozen=True, omit_defaults=True):
    """A typed action. `raw` is the text as the model wrote it, e.g. `Search[Danube]`."""

    name: str
    arguments: dict[str, Any]
    raw: str

    @property
    def argument(self) -> str | None:
        """The only string argument, if there is exactly one."""
        texts = [v for v in self.arguments.values() if isinstance(v, str)]
        return texts[0] if len(texts) == 1 else None

    @property
    def normalised(self) -> tuple[str, str]:
        """Name and arguments without case and spacing, to compare actions by."""
        flat = " ".join(str(self.arguments[k]) for k in sorted(self.arguments))
        return self.name.casefold(), " ".join(flat.casefold().split())


class Observation(Struct, frozen=True, omit_defaults=True):
    """What the environment said. Data, never instructions: `trusted` is False unless the environment vouches."""

    text: str
    sentences: tuple[SentenceRef, ...] = ()
    source: str = ""
    trusted: bool = False


class Usage(Struct, frozen=True, omit_defaults=True):
    """Tokens of one call. `cached`: prompt tokens the server had not to compute again."""

    prompt: int = 0
    completion: int = 0
    cached: int = 0


class Call(Struct, frozen=True, omit_defaults=True):
    """One reply of a model. `key` finds the exact prompt in the cache.

    `sent` tells how the request departed from what was asked, e.g. `("chat", "dropped: stop")`.
    """

    key: str
    text: str
    reasoning: str | None = None
    finish: str = "stop"
    usage: Usage = Usage()
    sent: tuple[str, ...] = ()


class Step(Struct, frozen=True, omit_defaults=True):
    """Thought, action, observation, and the calls that produced them.

    Every failure has a name in `notes` (`search_miss`, `invalid_action`, `follow_up`, `repeated_action`, ...).
    """

    thought: str | None = None
    action: Action | None = None
    observation: Observation | None = None
    calls: tuple[Call, ...] = ()
    notes: tuple[str, ...] = ()


class Instance(Struct, frozen=True, omit_defaults=True):
    """One question, claim, game or shopping instruction. `evidence`: alternative sets of gold sentences."""

    id: str
    task: str
    question: str
    answer: str | None = None
    kind: str = ""
    evidence: tuple[tuple[SentenceRef, ...], ...] = ()


class Cell(Struct, frozen=True, omit_defaults=True):
    """One point of an experiment's grid; its hash is the trajectory's id."""

    task: str
    instance: str
    method: str
    prompt: str  # id and checksum of the exemplars
    model: str
    temperature: float = 0.0
    fidelity: str = "paper"
    sample: int = 0


class Parent(Struct, frozen=True, omit_defaults=True):
    """Where a branch came from: trajectory id, step number (from 1) and what was changed there."""

    id: str
    step: int
    edit: dict[str, str]


class Trajectory(Struct, frozen=True, omit_defaults=True):
    """One episode. `meta` (run, seconds, host, ...) is the only part that `sha` leaves out."""

    id: str
    cell: Cell
    instance: Instance
    steps: tuple[Step, ...]
    answer: str | None
    stop: Stop
    score: dict[str, float] = {}
    provenance: dict[str, Any] = {}
    parent: Parent | None = None
    meta: dict[str, Any] = {}
    schema: int = SCHEMA

    @property
    def sha(self) -> str:
        """sha256 of everything but `meta` and the count of cached tokens, which depend on the day."""
        plain = msgspec.to_builtins(self)
        plain.pop("meta", None)
        for step in plain["steps"]:
            for call in step.get("calls", ()):
                call.get("usage", {}).pop("cached", None)
                if call.get("usage") == {}:
                    del call["usage"]
        return digest(plain)

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes of all steps, in order."""
        return tuple(note for step in self.steps for note in step.notes)

    def __repr__(self) -> str:
        marks = ", ".join(f"{k} {v:.2g}" for k, v in self.score.items())
        return (
            f"<Trajectory {self.id} {self.cell.method} on {self.cell.task}: {self.answer!r} "
            f"({self.stop}, {len(self.steps)} steps{', ' + marks if marks else ''})>"
        )

    def _repr_html_(self) -> str | None:
        return _html(self) if _html else None


_html: Callable[[Trajectory], str] | None = None


def show_html_with(render: Callable[[Trajectory], str]) -> None:
    """Let a later layer say how a trajectory shows itself in a notebook; this layer knows no HTML."""
    global _html
    _html = render


def digest(value: object) -> str:
    """sha256 of the value's canonical JSON (sorted keys), as 64 hex digits."""
    return hashlib.sha256(msgspec.json.encode(value, order="deterministic")).hexdigest()


def trajectory_id(cell: Cell, parent: Parent | None = None) -> str:
    """16 hex digits that name the cell, and for a branch also its parent and edit."""
    return digest([cell, parent])[:16]


def is_repeat(steps: Iterable[Step], action: Action, observation: Observation) -> bool:
    """The one definition of a repeated action: same normalised action and same observation as at an earlier step."""
    return any(
        step.action is not None
        and step.observation is not None
        and step.action.normalised == action.normalised
        and step.observation.text == observation.text
        for step in steps
    )


class Altered(ValueError):
    """A line whose content does not fit the checksum it carries."""


class _Sealed(Struct):
    sha: str = ""


_decoder = msgspec.json.Decoder(Trajectory)
_seal = msgspec.json.Decoder(_Sealed)


def decode(line: bytes) -> Trajectory:
    """A trajectory from its JSON; raises `msgspec.DecodeError`, or `Altered` where its `sha` does not fit."""
    trajectory = _decoder.decode(line)
    sha = _seal.decode(line).sha
    if sha and sha != trajectory.sha:
        raise Altered(f"its content has sha256 {trajectory.sha[:12]}…, recorded was {sha[:12]}…")
    return trajectory


def encode(trajectory: Trajectory) -> bytes:
    """One line of JSON, without the newline; holds `sha` too, so that others need not compute it."""
    plain = cast(dict[str, Any], msgspec.to_builtins(trajectory))
    return msgspec.json.encode(plain | {"schema": trajectory.schema, "sha": trajectory.sha})
