"""The reply cache: no call twice, no reply under the wrong key, clear words when its file is damaged."""

import os
import sqlite3
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from react_kit.errors import KitError, ReplayMiss, Unavailable
from react_kit.models import Cache
from react_kit.trajectory import Call, Usage


class Counting:
    """Every reply is another text; keeps what it was asked."""

    def __init__(self, name: str = "m", seed: int = 0) -> None:
        self.name = name
        self.identity: dict[str, Any] = {"endpoint": "test", "model": name, "seed": seed}
        self.asked: list[tuple[object, int, int]] = []
        self.given = 0

    def sample(self, prompt: object, *, n: int = 1, first: int = 0, **settings: Any) -> list[Call]:
        self.asked.append((prompt, first, n))
        self.given += n
        return [Call("", f"text {self.given - n + k}", usage=Usage(5, 2)) for k in range(n)]


@pytest.fixture
def model() -> Counting:
    return Counting()


@pytest.fixture
def cache(model: Counting, tmp_path: Path) -> Cache:
    return Cache(model, tmp_path / "c.sqlite")


def test_the_same_call_asks_once(cache: Cache, model: Counting) -> None:
    first = cache.sample("Q:", stop=("\n",))
    assert cache.sample("Q:", stop=("\n",)) == first
    assert model.asked == [("Q:", 0, 1)]
    assert first[0].key


def test_it_outlives_the_process_that_wrote_it(cache: Cache, tmp_path: Path) -> None:
    before = cache.sample("Q:")
    later = Counting()
    assert Cache(later, tmp_path / "c.sqlite").sample("Q:") == before
    assert later.asked == []


def test_samples_are_rows_of_their_own_and_only_missing_ones_are_asked_for(
    cache: Cache, model: Counting
) -> None:
    pool = cache.sample("Q:", n=3, temperature=0.7)
    assert len({call.key for call in pool}) == 3
    assert cache.sample("Q:", first=1, temperature=0.7) == [pool[1]]
    assert cache.sample("Q:", n=5, temperature=0.7)[:3] == pool
    assert model.asked == [("Q:", 0, 3), ("Q:", 3, 2)]


def test_a_reply_that_was_there_is_kept_where_one_before_it_is_missing(cache: Cache, model: Counting) -> None:
    """Samples 1 and 2 are asked for again with 0, and the recorded 1 stays what it was."""
    (one,) = cache.sample("Q:", first=1, temperature=0.7)
    pool = cache.sample("Q:", n=3, temperature=0.7)
    assert pool[1] == one
    assert cache.sample("Q:", n=3, temperature=0.7) == pool


@pytest.mark.parametrize(
    "change",
    [{"stop": ("\n", "x")}, {"temperature": 0.1}, {"max_tokens": 9}, {"first": 1}, {"prompt": "Q2:"}],
    ids=lambda change: next(iter(change)),
)
def test_whatever_decides_a_reply_is_in_the_key(cache: Cache, change: dict[str, Any]) -> None:
    asked: dict[str, Any] = {"prompt": "Q:", "stop": ("\n",), "temperature": 0.7, "max_tokens": 8, "first": 0}
    assert cache.sample(**asked)[0].key != cache.sample(**{**asked, **change})[0].key


@pytest.mark.parametrize("change", [{"model": "m2"}, {"endpoint": "elsewhere"}, {"sha256": "other weights"}])
def test_another_model_server_or_other_weights_are_other_replies(
    cache: Cache, model: Counting, change: dict[str, str]
) -> None:
    before = cache.sample("Q:")
    model.identity = {**model.identity, **change}
    changed = Cache(model, cache.path)
    assert changed.sample("Q:")[0].text != before[0].text


def test_the_seed_matters_to_samples_and_not_to_greedy_replies(tmp_path: Path) -> None:
    one, two = (Cache(Counting(seed=s), tmp_path / "c.sqlite") for s in (1, 2))
    assert one.sample("Q:") == two.sample("Q:")
    assert one.sample("Q:", temperature=0.7)[0].key != two.sample("Q:", temperature=0.7)[0].key


def test_messages_are_prompts_too(cache: Cache, model: Counting) -> None:
    hi, ho = ([{"role": "user", "content": text}] for text in ("hi", "ho"))
    assert cache.sample(hi) == cache.sample(hi)
    assert cache.sample(ho) != cache.sample(hi)
    assert len(model.asked) == 2


def test_the_prompt_as_sent_is_found_by_key(cache: Cache) -> None:
    (call,) = cache.sample("The whole prompt:\n")
    assert cache.prompt(call.key) == "The whole prompt:\n"
    assert cache.prompt("no such key") is None


def test_nothing_is_remembered_of_a_failure(cache: Cache, model: Counting) -> None:
    def fail(*_: object, **__: object) -> list[Call]:
        raise Unavailable("away")

    works, model.sample = model.sample, fail  # type: ignore[assignment, method-assign]
    with pytest.raises(Unavailable):
        cache.sample("Q:")
    model.sample = works  # type: ignore[method-assign]
    assert cache.sample("Q:")[0].text == "text 0"


def test_threads_share_it_and_all_see_the_same_reply(cache: Cache) -> None:
    def ask(i: int) -> str:
        return cache.sample(f"Q{i % 5}:", temperature=0.7)[0].text

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(ask, range(40)))
    again = [cache.sample(f"Q{i % 5}:", temperature=0.7)[0].text for i in range(40)]
    assert found == again


CHILD = """
import sys, time
from pathlib import Path
from react_kit.models import Cache
from react_kit.trajectory import Call

class Model:
    name, identity = "m", {"endpoint": "test", "model": "m"}
    def sample(self, prompt, *, n=1, **settings):
        return [Call("", f"{prompt} by " + sys.argv[2])] * n

cache = Cache(Model(), Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
print(*[cache.sample(str(i), temperature=0.7)[0].text for i in range(150)], sep="|")
"""


def test_processes_share_it_and_agree(tmp_path: Path) -> None:
    """Both ask the same things at the same time; whoever was first, the reply is the same for both."""
    command = [sys.executable, "-c", CHILD, str(tmp_path / "c.sqlite")]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    children = [subprocess.Popen([*command, name], **pipes) for name in ("a", "b")]
    for child in children:
        assert child.stdout.readline() == "ready\n"  # type: ignore[union-attr]
    for child in children:
        child.stdin.write("go\n")  # type: ignore[union-attr]
        child.stdin.flush()  # type: ignore[union-attr]
    said = [child.communicate(timeout=60)[0] for child in children]
    assert [child.returncode for child in children] == [0, 0]
    assert said[0] == said[1]
    assert said[0].count("|") == 149


def test_one_at_a_time_opens_a_new_file(cache: Cache) -> None:
    """Two that turn a new file to WAL at once would not wait for each other: one would fail."""
    with ThreadPoolExecutor(1) as pool:
        with FileLock(f"{cache.path}.lock"):
            waiting = pool.submit(cache.sample, "Q:")
            with pytest.raises(TimeoutError):
                waiting.result(0.3)
        assert waiting.result(30)[0].text == "text 0"


def test_replay_only_never_asks_and_names_what_is_missing(
    cache: Cache, model: Counting, tmp_path: Path
) -> None:
    cache.sample("Known:")
    replay = Cache(model, cache.path, replay_only=True)
    assert replay.sample("Known:")[0].text == "text 0"
    with pytest.raises(ReplayMiss) as e:
        replay.sample("Known and unknown:", n=2, first=3, temperature=0.7)
    for part in ("(m, {", "c.sqlite", "sample 3", "'Known and unknown:'", "without replay-only to record"):
        assert part in str(e.value)
    assert len(model.asked) == 1
    with pytest.raises(ReplayMiss):
        Cache(model, tmp_path / "none.sqlite", replay_only=True).sample("Q:")
    assert not (tmp_path / "none.sqlite").exists()


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX permissions")
def test_prompts_may_be_private_so_file_and_folder_are_their_owners_alone(
    model: Counting, tmp_path: Path
) -> None:
    Cache(model, tmp_path / "new" / "c.sqlite").sample("Q:")
    modes = {
        p.name: stat.S_IMODE(p.stat().st_mode) for p in (tmp_path / "new", *tmp_path.glob("new/c.sqlite*"))
    }
    modes.pop("c.sqlite.lock", None)  # always empty
    assert modes.pop("new") == 0o700
    assert set(modes.values()) == {0o600}  # the write-ahead log holds prompts too


def test_a_file_that_is_no_database(cache: Cache) -> None:
    cache.path.write_text("This is a diary. " * 100)
    with pytest.raises(KitError, match=r"c\.sqlite: file is not a database.*Delete it.*REACT_KIT_CACHE"):
        cache.sample("Q:")
    assert cache.path.read_text().startswith("This is a diary.")


def test_a_database_damaged_inside(cache: Cache, model: Counting) -> None:
    for i in range(200):
        cache.sample(f"Q{i}: " + "long " * 100)
    assert cache._db
    cache._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    cache._db.close()
    size = cache.path.stat().st_size
    with open(cache.path, "r+b") as file:
        file.seek(4096)  # leaves the header and schema alone
        file.write(b"\xee" * (size - 4096))
    again = Cache(model, cache.path)
    with pytest.raises(KitError, match=r"c\.sqlite: .*malformed.*Delete it"):
        again.sample("Q0: " + "long " * 100)


@pytest.mark.parametrize(
    "change",
    [
        "call = '{\"text\": 1}'",
        "call = CAST(replace(CAST(call AS TEXT), 'text 0', 'text 9') AS BLOB)",
        "sha = 7",
    ],
)
def test_a_row_that_was_altered(cache: Cache, model: Counting, change: str) -> None:
    (call,) = cache.sample("Q:")
    with sqlite3.connect(cache.path) as db:
        db.execute(f"UPDATE replies SET {change}")
    with pytest.raises(KitError, match=r"c\.sqlite"):
        Cache(model, cache.path).sample("Q:")
    with pytest.raises(KitError, match=r"c\.sqlite"):
        list(cache.export([call.key]))


@pytest.mark.parametrize(
    "change", ["prompts SET text = 'R:'", "replies SET sample = 1", "replies SET request = '{}'"]
)
def test_a_prompt_that_was_altered(cache: Cache, change: str) -> None:
    (call,) = cache.sample("Q:")
    with sqlite3.connect(cache.path) as db:
        db.execute(f"UPDATE {change}")
    with pytest.raises(KitError, match=r"c\.sqlite: the prompt of .* is not as it was sent"):
        cache.prompt(call.key)


def test_rows_that_were_exchanged(cache: Cache, model: Counting) -> None:
    cache.sample("Q:")
    cache.sample("R:")
    with sqlite3.connect(cache.path) as db:
        (one, two) = db.execute("SELECT key, call, sha FROM replies").fetchall()
        db.execute("UPDATE replies SET call = ?, sha = ? WHERE key = ?", (*two[1:], one[0]))
    with pytest.raises(KitError, match="is in the place of"):
        cache.get(one[0])


@pytest.mark.parametrize("version", [0, 2])
def test_the_file_of_another_version_is_left_alone(cache: Cache, model: Counting, version: int) -> None:
    cache.sample("Q:")
    with sqlite3.connect(cache.path) as db:
        db.execute(f"PRAGMA user_version = {version}")
    with pytest.raises(KitError, match=rf"c\.sqlite has version {version}, .* version 1: delete it"):
        Cache(model, cache.path).sample("Q:")


def test_a_place_that_cannot_be_written_is_named(model: Counting, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(KitError, match=r"file/c\.sqlite.*REACT_KIT_CACHE"):
        Cache(model, tmp_path / "file" / "c.sqlite").sample("Q:")


def test_a_disk_that_is_full_is_said_and_the_reply_before_it_kept(cache: Cache, model: Counting) -> None:
    cache.sample("Q:")
    assert cache._db
    pages = cache._db.execute("PRAGMA page_count").fetchone()[0]
    cache._db.execute(f"PRAGMA max_page_count = {pages}")  # SQLite then says the same as for a full disk
    with pytest.raises(KitError, match=r"full.*Free some space.*resume"):
        cache.sample("R:" + "long " * 5000)
    assert Cache(Counting(), cache.path).sample("Q:")[0].text == "text 0"


def test_its_place_can_be_chosen(model: Counting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REACT_KIT_CACHE", str(tmp_path / "deep" / "mine.sqlite"))
    Cache(model).sample("Q:")
    assert (tmp_path / "deep" / "mine.sqlite").is_file()
