"""A trajectory as a self-contained HTML card, and several side by side (the paper's Figure 1).

Everything that a model, a corpus or a data set wrote is escaped by the template engine; the card loads nothing and
runs nothing. Its style follows JupyterLab's theme, and the reader's light or dark setting elsewhere.
"""

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from react_kit.analysis.records import title_of
from react_kit.errors import KitError
from react_kit.report.style import label
from react_kit.text import visible
from react_kit.trajectory import Step, Trajectory

if TYPE_CHECKING:
    import jinja2

STOPS = {
    "answered": "answered",
    "step_limit": "step limit reached",
    "unparsable": "no answer in the reply",
    "unavailable": "server unavailable",
    "unfinished": "unfinished",
}
# Notes that are no failure of the model are shown quietly.
QUIET = {"think", "edited", "follow_up"}


def card(trajectory: Trajectory) -> str:
    """One trajectory: question, answer, score, then thought, action and observation of each step."""
    return _page([trajectory], numbered=False)


def side_by_side(trajectories: Sequence[Trajectory]) -> str:
    """One column per trajectory. Columns of one question show it once, on top."""
    if not trajectories:
        raise KitError(
            "no trajectories to put side by side; pass at least one, e.g. run.where(instance=...)."
        )
    return _page(list(trajectories), numbered=True)


def _page(trajectories: list[Trajectory], numbered: bool) -> str:
    same = len({(t.cell.task, t.instance.id, t.instance.question) for t in trajectories}) == 1
    columns = [column(t, k if numbered else None) for k, t in enumerate(trajectories, 1)]
    return str(template("card.html").render(columns=columns, same=same))


def column(t: Trajectory, number: int | None = None) -> dict[str, Any]:
    """What a card shows of a trajectory, as plain data."""
    sampled = f" · T = {t.cell.temperature:g}, sample {t.cell.sample}" if t.cell.temperature else ""
    return {
        "id": t.id,
        "title": f"({number}) {label(t.cell.method)}" if number else label(t.cell.method),
        "model": t.cell.model + sampled,
        "task": title_of(t.cell.task),
        "instance": t.instance,
        "answer": t.answer,
        "stop": STOPS.get(t.stop, t.stop),
        "verdict": _verdict(t),
        "scores": [f"{name}\u00a0{value:.2f}".removesuffix(".00") for name, value in t.score.items()],
        "parent": t.parent,
        "steps": [_step(step, k) for k, step in enumerate(t.steps, 1)],
    }


def _verdict(t: Trajectory) -> str:
    """`right`, `wrong` or `none`: by the first score, which is the task's metric."""
    main = next(iter(t.score.values()), None)
    return "none" if main is None else "right" if main == 1 else "wrong"


def _step(step: Step, number: int) -> dict[str, Any]:
    # Standard and CoT take no action in an environment: they answer.
    answers = step.action is not None and step.action.name == "finish" and step.observation is None
    return {
        "number": number,
        "thought": step.thought,
        "action": (step.action.argument if answers else step.action.raw) if step.action else None,
        "answers": answers,
        "observation": step.observation.text if step.observation else None,
        "notes": [(note.replace("_", " "), note in QUIET) for note in step.notes],
        "calls": step.calls,
    }


def template(name: str) -> "jinja2.Template":
    """A template of this folder, with everything escaped that it is given."""
    return _templates().get_template(name)


@lru_cache(maxsize=1)
def _templates() -> "jinja2.Environment":
    import jinja2

    # `finalize` comes before escaping; what is escaped already, a macro's output, has no `str` type of its own.
    return jinja2.Environment(
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: visible(value) if type(value) is str else value,
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
    )
