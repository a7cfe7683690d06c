"""One set of structured exemplars per task; every method's prompt is derived from it by leaving parts out.

Section 3.2: Standard keeps question and answer, CoT the thoughts, Act the actions and observations, ReAct all
three. The authors' own prompt files (`prompts_naive.json`, `fever.json`) load as well and are used to the byte.
"""

import os
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
    """A file in `prompts/`: the label that opens an instance, an instruction per method, exemplars."""

    id: str
    label: str
    instructions: dict[Kind, str]
    exemplars: tuple[Exemplar, ...]


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


def load_prompts(name: str | os.PathLike[str], instruction: str = "") -> Prompts:
    """Prompts by task name (`hotpotqa`, `fever`) or path: a file like ours, or one of the authors' two.

    `instruction` goes before the authors' Act and ReAct exemplars: HotpotQA's four lines are in their notebook,
    not in their file. Raises `KitError` for a file that is neither.
    """
    path = Path(name)
    if not path.suffix:
        path = share("prompts") / f"{name}.json"
        if not path.exists():
            raise unknown(
                "prompts", str(name), {p.stem for p in share("prompts").glob("*.json")}, "Or pass a path."
            )
    try:
        raw = msgspec.json.decode(file_bytes(path))
        if isinstance(raw, dict) and "exemplars" in raw:
            if instruction:
                raise KitError(
                    f"{str(path)!r} has instructions of its own, so instruction={instruction[:40]!r} has no place; "
                    "it is for the authors' files. Edit the file's `instructions` instead."
                )
            file = msgspec.convert(raw, ExemplarFile)
            if missing := [kind for kind in KINDS if kind not in file.instructions]:
                raise msgspec.ValidationError(f"`instructions` lacks {', '.join(missing)}")
            return from_exemplars(file)
        return _from_authors(path, raw, instruction)
    except OSError as e:
        raise KitError(f"cannot read the prompt file {str(path)!r}: {e.strerror}. Check the path.") from e
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as e:
        raise KitError(
            f"{str(path)!r} is not a prompt file: {e}. Expected the shape of prompts/hotpotqa.json "
            "(id, label, instructions, exemplars) or the authors' prompts_naive.json or fever.json."
        ) from e


def _from_authors(path: Path, raw: Any, instruction: str) -> Prompts:
    found = raw if isinstance(raw, dict) else {}
    heads: dict[Kind, str] = {}
    for kind, keys in _AUTHORS.items():
        text = next((found[k] for k in keys if isinstance(found.get(k), str)), None)
        if text is not None:
            heads[kind] = (instruction if kind in ("act", "react") else "") + text
    if not heads:
        raise msgspec.ValidationError(
            f"none of the keys {[k for keys in _AUTHORS.values() for k in keys]} is there"
        )
    # Both their files open an instance with its own label; only FEVER's exemplars say `Claim:`.
    label = "Claim" if "\nClaim:" in next(iter(heads.values())) else "Question"
    return Prompts(f"authors/{path.stem}", label, heads)
