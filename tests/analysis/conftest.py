import random

import pytest

from react_kit.tasks import TASKS
from react_kit.trajectory import (
    Action,
    Call,
    Cell,
    Instance,
    Observation,
    Parent,
    Step,
    Trajectory,
    Usage,
    trajectory_id,
)

INSTANCES = {
    "hotpotqa": ("Which city lies on the Danube?", "Vienna"),
    "fever": ("The Danube flows through Vienna.", "SUPPORTS"),
}


def build_episode(
    task="hotpotqa",
    instance="q1",
    method="react",
    answer="Vienna",
    *,
    temperature=0.0,
    sample=0,
    model="tiny-model",
    prompt="six@1234",
    fidelity="paper",
    stop=None,
    notes=(),
    replayed=0,
    parent=None,
):
    question, gold = INSTANCES[task]
    item = Instance(instance, task, question, gold)
    cell = Cell(task, instance, method, prompt, model, temperature, fidelity, sample)
    action = Action("finish", {"answer": answer}, f"Finish[{answer}]") if answer is not None else None
    observation = Observation("Episode finished.") if method in ("act", "react") else None
    call = Call("k", "text", usage=Usage(100, 20))
    steps = (Step("I think.", action, observation, (call,), notes),)
    stop = stop or ("answered" if answer is not None else "step_limit" if observation else "unparsable")
    scored = stop not in ("unavailable", "unfinished")
    score = TASKS[task].score(item, answer) if scored else {}
    id = trajectory_id(cell, parent)
    return Trajectory(id, cell, item, steps, answer, stop, score, {}, parent, {"replayed": replayed})


@pytest.fixture
def episode():
    """Makes one finished episode of one step; every setting of the cell by keyword."""
    return build_episode


@pytest.fixture
def pool():
    """Makes the CoT pool of one instance from its answers, in order of sample."""

    def make(answers, **settings):
        return [
            build_episode(method="cot", answer=a, temperature=0.7, sample=k, **settings)
            for k, a in enumerate(answers)
        ]

    return make


@pytest.fixture
def study(pool):
    """Makes all stored episodes of `n` questions, drawn by seed."""

    def make(n, task="hotpotqa", samples=5, seed=0):
        draw = random.Random(seed)
        gold = INSTANCES[task][1]
        answers = [gold, gold, "Graz", "Linz", None]
        found = []
        for k in range(n):
            settings = {"task": task, "instance": f"q{k}"}
            for method in ("standard", "cot", "act", "react"):
                found.append(build_episode(method=method, answer=draw.choice(answers), **settings))
            found += pool([draw.choice(answers) for _ in range(samples)], **settings)
        return found

    return make


@pytest.fixture
def branch():
    return Parent("0" * 16, 1, {"thought": "Better."})
