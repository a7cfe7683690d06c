"""The tasks by name. Adding one: define a `Task` in a file of its own and list it here."""

import os
from pathlib import Path

import msgspec

from react_kit.errors import KitError, unknown
from react_kit.resources import share
from react_kit.tasks.base import Instances, Task
from react_kit.tasks.fever import FEVER
from react_kit.tasks.hotpotqa import HOTPOTQA
from react_kit.trajectory import Instance, digest
from react_kit.worlds.fable import standard

__all__ = ["TASKS", "Instances", "Task", "load_task"]

TASKS: dict[str, Task] = {task.name: task for task in (HOTPOTQA, FEVER)}


# Splits of the invented world, which is generated when asked for, and the corpus that holds their articles.
# fable-deep: questions of three and four hops.
FABLES = {"fable": "fable", "fable-deep": "fable", "fable-train": "fable-train"}


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
        return Instances(task, file.stem, _each_once(task, file))
    if split in FABLES:
        found = task.invented(standard("train" if "train" in split else "dev"), split == "fable-deep")
        if not found:
            raise KitError(f"{task.title} has no instances in {split!r}; take 'fable'.")
        return Instances(task, split, found)
    if split not in task.splits:
        known = [*task.splits, *FABLES]
        raise unknown(f"split of {task.title}", split, known, "For a file of your own pass path=.")
    return Instances(task, split, task.load(share(*task.splits[split])))


def _each_once(task: Task, file: Path) -> list[Instance]:
    """The instances of a user's file; an id that occurs again is made another, or it would be taken for played."""
    found = task.load(file)
    if not found:
        raise KitError(f"{str(file)!r} holds no {task.title} instances; expected at least one.")
    seen: set[str] = set()
    for at, instance in enumerate(found):
        if instance.id in seen:
            found[at] = msgspec.structs.replace(
                instance, id=digest([instance.id, instance.question, at])[:24]
            )
        seen.add(found[at].id)
    return found
