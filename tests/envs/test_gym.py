"""The Gymnasium adapter."""

import warnings

import pytest
from gymnasium.utils.env_checker import check_env

from react_kit import load_task, open_wiki
from react_kit.envs.gym import GymEnv
from react_kit.fidelity import PAPER


@pytest.fixture
def env() -> GymEnv:
    task = load_task("hotpotqa")
    return GymEnv(task.task.make_env(open_wiki("tiny"), PAPER), task, limit=7)


def test_gymnasium_finds_nothing_to_object_to(env: GymEnv) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # The one thing it may say is that the class was not made by gymnasium.make.
        warnings.filterwarnings("ignore", message=".*(not|isn't).*registered.*|.*env.spec.*|.*render modes.*")
        check_env(env, skip_render_check=False)


def test_a_seed_draws_the_same_question_again(env: GymEnv) -> None:
    assert env.reset(seed=3) == env.reset(seed=3)
    assert len({env.reset(seed=s)[1]["instance"] for s in range(20)}) > 5


def test_an_episode_ends_with_finish_and_its_reward(env: GymEnv) -> None:
    env.reset(options={"index": 0})
    gold = env.instances[0].answer
    observation, reward, terminated, truncated, info = env.step(f"finish[{gold}]")
    assert (observation, reward, terminated, truncated, info["code"]) == (
        "Episode finished.",
        1.0,
        True,
        False,
        "ok",
    )


def test_an_unreadable_action_is_an_observation_and_the_limit_truncates(env: GymEnv) -> None:
    env.reset(seed=0)
    for _ in range(6):
        observation, _, terminated, truncated, info = env.step("open the pod bay doors")
        assert (observation, terminated, truncated) == (
            "Invalid action: open the pod bay doors",
            False,
            False,
        )
        assert info["notes"] == ("invalid_action",)
    assert env.step("search[nothing]")[3] is True
