"""The recorded replies that come with the kit: complete, self-describing, and the real model's own."""

import random
from pathlib import Path

import pytest

from react_kit import METHODS, Experiment, load_task, open_model
from react_kit.models import embedded
from react_kit.models.replay import Replay, write_replay
from react_kit.resources import share


@pytest.fixture(scope="module")
def replay() -> Replay:
    return Replay(share("data", "replays", "tiny.jsonl"))


def test_every_row_says_what_was_asked_of_which_model(replay: Replay) -> None:
    for reply in replay.replies.values():
        assert reply.request["sha256"] == embedded.SHA256
        assert reply.request["model"] == embedded.NAME
        assert set(reply.request["settings"]) == {"stop", "temperature", "max_tokens"}
        assert reply.call.usage.completion > 0 or reply.call.text == ""
        assert reply.call.usage.prompt > 0 or reply.sample > 0  # a prompt is paid once for all its samples
        assert reply.prompt


def test_a_whole_react_prompt_stays_under_2000_tokens(replay: Replay) -> None:
    """By the model's own tokenizer."""
    first = [r.call.usage.prompt for r in replay.replies.values() if r.prompt.endswith("\nThought 1:")]
    assert len(first) == len(load_task("hotpotqa")) + len(load_task("fever"))
    assert 1000 < max(first) < 2000


def test_writing_it_again_gives_the_same_bytes(replay: Replay, tmp_path: Path) -> None:
    write_replay(replay.replies.values(), tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == replay.path.read_bytes()


def test_it_covers_every_method_on_the_whole_tiny_split_and_nothing_else(
    replay: Replay, tmp_path: Path
) -> None:
    model = open_model("embedded", replay="tiny", replay_only=True, cache=tmp_path / "none.sqlite")
    experiment = Experiment(["hotpotqa", "fever"], methods=list(METHODS), model=model, out=tmp_path / "run")
    run = experiment.run(progress=False)
    questions, claims = len(load_task("hotpotqa")), len(load_task("fever"))
    assert questions >= 30
    assert claims >= 24
    assert len(run) == (questions + claims) * (4 + 21)
    used = {call.key for t in run for step in t.steps for call in step.calls}
    assert used == set(replay.replies)
    assert not (tmp_path / "none.sqlite").exists()


@pytest.mark.slow
def test_the_model_still_says_what_was_recorded(replay: Replay, tmp_path: Path) -> None:
    """Ten greedy rows, drawn by seed. Kernels for other processors may round otherwise, so two may differ."""
    greedy = sorted(key for key, r in replay.replies.items() if r.request["settings"]["temperature"] == 0)
    model = open_model("embedded", cache=tmp_path / "fresh.sqlite")
    same = []
    for key in random.Random(7).sample(greedy, 10):
        row = replay.replies[key]
        settings = row.request["settings"] | {"stop": tuple(row.request["settings"]["stop"])}
        (call,) = model.sample(row.prompt, **settings)
        assert call.key == key
        same.append(call.text == row.call.text)
    assert sum(same) >= 8, same
