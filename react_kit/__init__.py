"""react-kit: ReAct (Yao et al., ICLR 2023) for researchers, in Jupyter.

The names below are the contract. Each is imported when first used, so that `import react_kit` costs little.
"""

import importlib
from typing import TYPE_CHECKING, Any

from react_kit.trajectory import show_html_with

__version__ = "0.1.0"

_HOMES = {
    "Trajectory": "trajectory",
    "Step": "trajectory",
    "Action": "trajectory",
    "Run": "run",
    "read_trajectories": "run",
    "open_model": "models",
    "open_wiki": "corpora",
    "load_task": "tasks",
    "Episode": "episode",
    "METHODS": "methods",
    "TASKS": "tasks",
    "Experiment": "experiment",
    "Fidelity": "fidelity",
    "PAPER": "fidelity",
    "AUTHORS_CODE": "fidelity",
    "KitError": "errors",
}
__all__ = sorted(_HOMES)

if TYPE_CHECKING:
    from react_kit.corpora import open_wiki as open_wiki
    from react_kit.episode import Episode as Episode
    from react_kit.errors import KitError as KitError
    from react_kit.experiment import Experiment as Experiment
    from react_kit.fidelity import AUTHORS_CODE as AUTHORS_CODE
    from react_kit.fidelity import PAPER as PAPER
    from react_kit.fidelity import Fidelity as Fidelity
    from react_kit.methods import METHODS as METHODS
    from react_kit.models import open_model as open_model
    from react_kit.run import Run as Run
    from react_kit.run import read_trajectories as read_trajectories
    from react_kit.tasks import TASKS as TASKS
    from react_kit.tasks import load_task as load_task
    from react_kit.trajectory import Action as Action
    from react_kit.trajectory import Step as Step
    from react_kit.trajectory import Trajectory as Trajectory


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'react_kit' has no attribute {name!r}")
    value = getattr(importlib.import_module(f"react_kit.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})


def _card(trajectory: "Trajectory") -> str:
    from react_kit.report.card import card

    return card(trajectory)


show_html_with(_card)  # a trajectory at the end of a notebook cell shows itself
