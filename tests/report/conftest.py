"""Made-up episodes of questions that differ in how hard they are."""

import random

import pytest

GOLD = {"hotpotqa": "Vienna", "fever": "SUPPORTS"}


@pytest.fixture
def study(episode, pool):
    """Makes all stored episodes of `n` questions, drawn by seed."""

    def make(n, task="hotpotqa", samples=5, seed=0):
        draw = random.Random(seed)
        gold = GOLD[task]
        found = []
        for k in range(n):
            settings = {"task": task, "instance": f"q{k}"}
            answers = [gold] * draw.choice([0, 1, 2, 6]) + ["Graz", "Linz", None]
            for method in ("standard", "cot", "act", "react"):
                found.append(episode(method=method, answer=draw.choice(answers), **settings))
            found += pool([draw.choice(answers) for _ in range(samples)], **settings)
        return found

    return make
