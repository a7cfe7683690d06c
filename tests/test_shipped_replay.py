"""The recorded replies that come with the kit: complete, self-describing, and the real model's own."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from react_kit import Run, open_model
from react_kit.models import embedded
from react_kit.models.replay import Replay, write_replay
from react_kit.resources import share

N = 40  # questions and claims of each set that were recorded
EXEMPLARS = [
    (1, None),
    (6, None),
    (9, None),
    (3, 1),
    (3, 2),
]  # number and draw, all of the fable's training world


@pytest.fixture(scope="module", params=["tiny", "fable"])
def replay(request: pytest.FixtureRequest) -> Replay:
    return Replay(share("data", "replays", f"{request.param}.jsonl"))


def test_every_row_says_what_was_asked_of_which_model(replay: Replay) -> None:
    for reply in replay.replies.values():
        assert reply.request["sha256"] == embedded.SHA256
        assert reply.request["model"] == embedded.NAME
        assert set(reply.request["settings"]) == {"stop", "temperature", "max_tokens"}
        assert reply.call.usage.completion > 0 or reply.call.text == ""
        assert reply.call.usage.prompt > 0 or reply.sample > 0  # a prompt is paid once for all its samples
        assert reply.prompt


def test_a_whole_react_prompt_stays_under_2000_tokens(replay: Replay) -> None:
    """By the model's own tokenizer, with the paper's number of exemplars of real things."""
    first = [r.call.usage.prompt for r in replay.replies.values() if r.prompt.endswith("\nThought 1:")]
    assert sum(1800 < n < 2000 for n in first if n) >= N


def test_writing_it_again_gives_the_same_bytes(replay: Replay, tmp_path: Path) -> None:
    write_replay(replay.replies.values(), tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == replay.path.read_bytes()


def test_it_covers_every_method_and_nothing_else(
    replay: Replay, recorded: Callable[[str], Run], axis: dict[tuple[int, int | None], Run]
) -> None:
    used = keys(recorded(replay.path.stem))
    if replay.path.stem == "fable":
        used |= {key for run in axis.values() for key in keys(run)}
    assert used == set(replay.replies)


def keys(run: Run) -> set[str]:
    return {call.key for t in run for step in t.steps for call in step.calls}


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
