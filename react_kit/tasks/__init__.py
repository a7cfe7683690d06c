"""The tasks by name. Adding one: define a `Task` in a file of its own and list it here."""

import os
from pathlib import Path

from react_kit.errors import KitError, unknown
from react_kit.resources import share
from react_kit.tasks.base import Instances, Task
from react_kit.tasks.fever import FEVER
from react_kit.tasks.hotpotqa import HOTPOTQA

__all__ = ["TASKS", "Instances", "Task", "load_task"]

TASKS: dict[str, Task] = {task.name: task for task in (HOTPOTQA, FEVER)}


def load_task(name: str, split: str = "tiny", path: str | os.PathLike[str] | None = None) -> Instances:
    """The instances of a shipped split, or those in a file in the task's official format."""
    if name not in TASKS:
        raise unknown("task", name, TASKS)
    task = TASKS[name]
    if path is not None:
        file = Path(path)
        if not file.is_file():
            raise KitError(
                f"no file at {str(file)!r}; expected {task.title} data in its official format. Check the path."
            )
        return Instances(task, file.stem, task.load(file))
    if split not in task.splits:
        raise unknown(f"split of {task.title}", split, task.splits, "For a file of your own pass path=.")
    return Instances(task, split, task.load(share(*task.splits[split])))
