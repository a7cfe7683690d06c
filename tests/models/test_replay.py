"""Recorded replies as a file: there and back, byte by byte, and what a damaged one says."""

from itertools import cycle
from pathlib import Path
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from react_kit import open_model
from react_kit.errors import KitError, ReplayMiss
from react_kit.models import Cache
from react_kit.models.replay import Replay, Reply, base_key, shipped_replay, write_replay
from react_kit.trajectory import Call, Usage

HEAD = "Answer the question.\n\nQuestion: one?\nAnswer: 1\n\n" * 20


class Parrot:
    name, identity = "parrot", {"endpoint": "test", "model": "parrot", "seed": 3}

    def sample(self, prompt: str, *, n: int = 1, first: int = 0, **_: object) -> list[Call]:
        return [
            Call("", f"{prompt[-4:]} – é {k}\n", None, "stop", Usage(9, k)) for k in range(first, first + n)
        ]


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(Parrot(), tmp_path / "c.sqlite")


@pytest.fixture
def calls(cache: Cache) -> list[Call]:
    found = []
    for question in ("Question: b?\n", "Question: a?\n", "Question: a? And more\n"):
        found += cache.sample(HEAD + question, stop=("\n",))
        found += cache.sample(HEAD + question, n=3, temperature=0.7)
    return found


def export(cache: Cache, calls: list[Call], path: Path) -> bytes:
    assert write_replay(cache.export([c.key for c in calls]), path) == len(calls)
    return path.read_bytes()


def test_there_and_back_gives_the_same_replies_and_bytes(
    cache: Cache, calls: list[Call], tmp_path: Path
) -> None:
    written = export(cache, calls, tmp_path / "a.jsonl")
    replay = Replay(tmp_path / "a.jsonl")
    assert [replay.get(c.key) for c in calls] == calls
    replayed = Cache(Parrot(), tmp_path / "none.sqlite", replay, replay_only=True)
    assert replayed.sample(HEAD + "Question: a?\n", n=3, temperature=0.7) == calls[5:8]
    assert replayed.replayed(calls[0].key)
    assert replayed.prompt(calls[0].key) == HEAD + "Question: b?\n"
    write_replay(replay.replies.values(), tmp_path / "b.jsonl")
    assert (tmp_path / "b.jsonl").read_bytes() == written


def test_the_order_in_which_replies_were_made_leaves_no_trace(
    cache: Cache, calls: list[Call], tmp_path: Path
) -> None:
    assert export(cache, calls, tmp_path / "a") == export(cache, calls[::-1], tmp_path / "b")


def test_the_order_in_which_a_request_names_its_parts_leaves_no_trace(tmp_path: Path) -> None:
    request = {"model": "m", "settings": {"stop": [], "temperature": 0.7}}
    calls = [Call(f"{base_key(request, 'Q:')}-{k}", "x") for k in range(2)]
    replies = [
        Reply("Q:", dict(parts), k, calls[k]) for k, parts in enumerate([request, reversed(request.items())])
    ]
    write_replay(replies, tmp_path / "a.jsonl")
    assert len((tmp_path / "a.jsonl").read_bytes().splitlines()) == 1


def test_a_line_gives_only_what_differs_from_the_prompt_before(
    cache: Cache, calls: list[Call], tmp_path: Path
) -> None:
    lines = export(cache, calls, tmp_path / "a.jsonl").splitlines()
    first, *others = [msgspec.json.decode(line) for line in lines]
    assert (first["shared"], first["tail"]) == (0, HEAD + "Question: a?\n")
    assert all(other["shared"] >= len(HEAD) for other in others)
    assert len(lines) == 6  # three prompts, greedy and sampled


def test_a_replay_is_asked_before_the_model_and_the_rest_is_recorded(
    cache: Cache, calls: list[Call], tmp_path: Path
) -> None:
    export(cache, calls, tmp_path / "a.jsonl")
    mixed = Cache(Parrot(), tmp_path / "d.sqlite", Replay(tmp_path / "a.jsonl"))
    (new,) = mixed.sample("New:")
    old = mixed.sample(HEAD + "Question: a?\n", stop=("\n",))[0]
    assert (mixed.replayed(new.key), mixed.replayed(old.key)) == (False, True)
    assert {r.prompt for r in mixed.export([new.key, old.key])} == {"New:", HEAD + "Question: a?\n"}


def test_a_miss_names_the_replay(cache: Cache, calls: list[Call], tmp_path: Path) -> None:
    export(cache, calls, tmp_path / "a.jsonl")
    only = Cache(Parrot(), tmp_path / "none", Replay(tmp_path / "a.jsonl"), replay_only=True)
    with pytest.raises(ReplayMiss, match=r"a\.jsonl for sample 3 of the prompt that ends in .*a\?"):
        only.sample(HEAD + "Question: a?\n", n=4, temperature=0.7)


@pytest.mark.parametrize(
    ("damage", "line"),
    [
        (lambda lines: [*lines[:2], lines[2][: len(lines[2]) // 2]], 3),
        (lambda lines: [lines[0], b"nonsense", *lines[1:]], 2),
        (lambda lines: [b'{"shared": 0}', *lines], 1),
        (lambda lines: [lines[0], lines[2]], 2),  # the line that is left leans on the one that is lost
        (lambda lines: [lines[0].replace(b"Question", b"Riddle"), *lines[1:]], 1),
        (lambda lines: [lines[0], lines[1].replace(b'"text":"', b'"text":"better '), lines[2]], 2),
    ],
    ids=["cut off", "not JSON", "another shape", "a line lost", "a prompt edited", "a reply edited"],
)
def test_a_damaged_line_is_named(cache: Cache, tmp_path: Path, damage: object, line: int) -> None:
    calls = [cache.sample(prompt)[0] for prompt in ("Question: aa", "Question: aab", "Question: aabc")]
    lines = export(cache, calls, tmp_path / "a.jsonl").splitlines()
    (tmp_path / "a.jsonl").write_bytes(b"\n".join(damage(lines)))  # type: ignore[operator]
    with pytest.raises(KitError, match=rf"a\.jsonl line {line} .*export the replay anew"):
        Replay(tmp_path / "a.jsonl")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(KitError, match=r"no/such\.jsonl.*No such file.*Check the path"):
        Replay(tmp_path / "no/such.jsonl")
    with pytest.raises(KitError, match=r"unknown replay 'nonsense'; expected one of: fable, tiny"):
        open_model("embedded", replay="nonsense")


def test_a_replay_by_name_is_shipped_and_by_path_ones_own(tmp_path: Path) -> None:
    assert shipped_replay("tiny").is_file()
    assert shipped_replay("own.jsonl") == Path("own.jsonl")
    assert shipped_replay(str(tmp_path / "own")) == tmp_path / "own"


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
rows = st.lists(
    st.tuples(texts, texts, st.integers(0, 3)), max_size=8, unique_by=lambda row: (row[0], row[2])
)


@settings(max_examples=60, deadline=None)
@given(rows, st.randoms(use_true_random=False))
def test_any_prompt_comes_back_and_order_leaves_no_trace(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str, int]], random: Random
) -> None:
    """Rows of one prompt are samples on one line; the same request may name its parts in any order."""
    path = tmp_path_factory.mktemp("replay")
    asked = {"model": "m", "settings": {"stop": [], "temperature": 0.7}}
    requests = [asked, dict(reversed(asked.items()))]
    replies = [
        Reply(HEAD[:60] + prompt, request, k, Call(f"{base_key(asked, HEAD[:60] + prompt)}-{k}", text))
        for (prompt, text, k), request in zip(rows, cycle(requests), strict=False)
    ]
    assert write_replay(replies, path / "a.jsonl") == len(rows)
    assert Replay(path / "a.jsonl").replies == {r.call.key: r for r in replies}
    random.shuffle(replies)
    write_replay(replies, path / "b.jsonl")
    assert (path / "a.jsonl").read_bytes() == (path / "b.jsonl").read_bytes()
