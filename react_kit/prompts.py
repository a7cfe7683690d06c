"""One set of structured exemplars per task; every method's prompt is derived from it by leaving parts out.

Section 3.2: Standard keeps question and answer, CoT the thoughts, Act the actions and observations, ReAct all
three. The authors' own prompt files (`prompts_naive.json`, `fever.json`) load as well and are used to the byte.
"""

import os
import random
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from react_kit.errors import KitError, unknown
from react_kit.resources import file_bytes, share
from react_kit.text import one_line
from react_kit.trajectory import digest

Kind = Literal["standard", "cot", "act", "react"]
KINDS: tuple[Kind, ...] = ("standard", "cot", "act", "react")

# Keys of the authors' files, most exemplars first.
_AUTHORS: dict[Kind, tuple[str, ...]] = {
    "standard": ("webqa_simple6", "webqa_simple3"),
    "cot": ("cotqa_simple6", "cotqa_simple3"),
    "act": ("webact_simple6", "webact_simple3"),
    "react": ("webthink_simple6", "webthink_simple3"),
}


class ExemplarStep(Struct, frozen=True):
    """`role`: what the thought does (section 2): decompose, extract, commonsense, arithmetic, reformulate (the
    search), track (and change the plan), conclude."""

    thought: str
    action: str
    observation: str | None = None
    role: tuple[str, ...] = ()


class Exemplar(Struct, frozen=True):
    question: str
    answer: str
    steps: tuple[ExemplarStep, ...]


class ExemplarFile(Struct, frozen=True):
    """A file in `prompts/`: the label that opens an instance, an instruction per method, exemplars.

    `spare`: more of them, for prompts of other sizes and draws than the paper's.
    """

    id: str
    label: str
    instructions: dict[Kind, str]
    exemplars: tuple[Exemplar, ...]
    spare: tuple[Exemplar, ...] = ()


class Prompts(Struct, frozen=True):
    """The fixed beginning of each method's prompt. `label` is `Question` or `Claim`."""

    id: str
    label: str
    heads: dict[Kind, str]

    @property
    def sha256(self) -> str:
        return digest([self.label, self.heads])

    @property
    def name(self) -> str:
        """Id and checksum, as recorded in every cell."""
        return f"{self.id}@{self.sha256[:12]}"

    def start(self, kind: Kind, question: str) -> str:
        """The prompt up to and with the line that states the instance, e.g. `Question: ...`."""
        if kind not in self.heads:
            raise KitError(
                f"the prompts {self.id!r} hold nothing for {kind!r}; they have: {', '.join(self.heads)}."
            )
        return f"{self.heads[kind]}{self.label}: {one_line(question)}\n"


def render(exemplar: Exemplar, kind: Kind, label: str) -> str:
    """One exemplar as text, ending in a newline."""
    lines = [f"{label}: {exemplar.question}"]
    if kind == "cot":
        # Thoughts about the search itself go out together with the actions they explain.
        chain = " ".join(s.thought for s in exemplar.steps if "reformulate" not in s.role)
        lines.append(f"Thought: Let's think step by step. {chain}")
    if kind in ("standard", "cot"):
        lines.append(f"Answer: {exemplar.answer}")
    else:
        for i, step in enumerate(exemplar.steps, 1):
            lines += [f"Thought {i}: {step.thought}"] if kind == "react" else []
            lines.append(f"Action {i}: {step.action}")
            lines += [f"Observation {i}: {step.observation}"] if step.observation is not None else []
    return "\n".join(lines) + "\n"


def from_exemplars(file: ExemplarFile) -> Prompts:
    """Derive the four heads: instruction, blank line, exemplars separated by blank lines."""
    heads: dict[Kind, str] = {}
    for kind in KINDS:
        shots = [render(exemplar, kind, file.label) + "\n" for exemplar in file.exemplars]
        heads[kind] = f"{file.instructions[kind]}\n\n{''.join(shots)}"
    return Prompts(file.id, file.label, heads)


def choose(file: ExemplarFile, n: int, seed: int | None = None) -> ExemplarFile:
    """The first `n` exemplars, the spare ones last; or `n` drawn by `seed`, in the order drawn."""
    pool = (*file.exemplars, *file.spare)
    if not 1 <= n <= len(pool):
        raise KitError(
            f"{file.id!r} holds {len(pool)} exemplars, spare ones included, so n={n} cannot be had."
        )
    drawn = pool[:n] if seed is None else tuple(random.Random(seed).sample(pool, n))
    name = f"{file.id} {n}" + ("" if seed is None else f" seed {seed}")
    return msgspec.structs.replace(file, id=name, exemplars=drawn, spare=())


def load_prompts(
    name: str | os.PathLike[str], instruction: str = "", n: int | None = None, seed: int | None = None
) -> Prompts:
    """Prompts by task name (`hotpotqa`, `fever`) or path: a file like ours, or one of the authors' two.

    `n` exemplars instead of the file's own number: the first ones, or with `seed` a draw (see `choose`).
    `instruction` goes before the authors' Act and ReAct exemplars: HotpotQA's four lines are in their notebook,
    not in their file. Raises `KitError` for a file that is neither.
    """
    found = _read(name)
    if isinstance(found, ExemplarFile):
        if instruction:
            raise KitError(
                f"{str(name)!r} has instructions of its own, so instruction={instruction[:40]!r} has no place; "
                "it is for the authors' files. Edit the file's `instructions` instead."
            )
        if n is not None or seed is not None:
            found = choose(found, len(found.exemplars) if n is None else n, seed)
        return from_exemplars(found)
    if n is not None or seed is not None:
        raise KitError(
            f"{str(name)!r} is the authors' file, whose exemplars cannot be chosen; leave out n= and seed=."
        )
    heads, label = found
    acting: tuple[Kind, ...] = ("act", "react")
    heads |= {kind: instruction + heads[kind] for kind in acting if kind in heads}
    return Prompts(f"authors/{Path(name).stem}", label, heads)


def load_exemplars(name: str | os.PathLike[str]) -> ExemplarFile:
    """A task's exemplars, or those of a file like ours, to choose among or to edit."""
    found = _read(name)
    if not isinstance(found, ExemplarFile):
        raise KitError(f"{str(name)!r} is the authors' file, which holds text; expected a file like ours.")
    return found


Heads = tuple[dict[Kind, str], str]


def _read(name: str | os.PathLike[str]) -> "ExemplarFile | Heads":
    path = Path(name)
    if not path.suffix:
        path = share("prompts") / f"{name}.json"
        if not path.exists():
            raise unknown(
                "prompts", str(name), {p.stem for p in share("prompts").glob("*.json")}, "Or pass a path."
            )
    try:
        raw = msgspec.json.decode(file_bytes(path))
        if not (isinstance(raw, dict) and "exemplars" in raw):
            return _from_authors(raw)
        file = msgspec.convert(raw, ExemplarFile)
        if missing := [kind for kind in KINDS if kind not in file.instructions]:
            raise msgspec.ValidationError(f"`instructions` lacks {', '.join(missing)}")
        return file
    except OSError as e:
        raise KitError(f"cannot read the prompt file {str(path)!r}: {e.strerror}. Check the path.") from e
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as e:
        raise KitError(
            f"{str(path)!r} is not a prompt file: {e}. Expected the shape of prompts/hotpotqa.json "
            "(id, label, instructions, exemplars) or the authors' prompts_naive.json or fever.json."
        ) from e


def _from_authors(raw: Any) -> Heads:
    found = raw if isinstance(raw, dict) else {}
    heads: dict[Kind, str] = {}
    for kind, keys in _AUTHORS.items():
        text = next((found[k] for k in keys if isinstance(found.get(k), str)), None)
        if text is not None:
            heads[kind] = text
    if not heads:
        raise msgspec.ValidationError(
            f"none of the keys {[k for keys in _AUTHORS.values() for k in keys]} is there"
        )
    # Both their files open an instance with its own label; only FEVER's exemplars say `Claim:`.
    return heads, "Claim" if "\nClaim:" in next(iter(heads.values())) else "Question"
