"""The append-only file: nothing whole is ever lost, nothing torn is ever read."""

import errno
import io
import multiprocessing
import threading
from pathlib import Path
from typing import IO, Any

import msgspec
import pytest
from filelock import FileLock
from hypothesis import given
from hypothesis import strategies as st

from react_kit.errors import KitError
from react_kit.store import Store, _write_all


def lines(store: Store) -> list[int]:
    return [msgspec.json.decode(line)["k"] for _, line in store.scan()]


def put(store: Store, k: int) -> int:
    return store.append(msgspec.json.encode({"k": k, "text": "x" * (k % 50)}))


def test_what_is_appended_is_read_in_order_and_by_offset(tmp_path: Path) -> None:
    store = Store(tmp_path / "a" / "b.jsonl")
    offsets = [put(store, k) for k in range(5)]
    assert lines(store) == [0, 1, 2, 3, 4]
    assert msgspec.json.decode(store.read(offsets[3]))["k"] == 3
    assert [o for o, _ in store.scan()] == offsets
    assert [msgspec.json.decode(line)["k"] for _, line in store.scan(offsets[2])] == [2, 3, 4]


def test_a_missing_file_is_empty(tmp_path: Path) -> None:
    assert lines(Store(tmp_path / "none.jsonl")) == []


@given(
    st.lists(st.one_of(st.integers(0, 10**6), st.tuples(st.just("cut"), st.integers(0, 200))), max_size=12)
)
def test_cutting_the_file_anywhere_loses_only_what_was_cut(
    tmp_path_factory: pytest.TempPathFactory, events: list[int | tuple[str, int]]
) -> None:
    path = tmp_path_factory.mktemp("store") / "s.jsonl"
    store, expected, ends = Store(path), [], []
    for event in events:
        if isinstance(event, int):
            start = put(store, event)
            expected.append(event)
            # A line is whole with its closing brace; the newline may be missing.
            ends.append(start + len(store.read(start)))
        elif path.exists():
            size = max(0, path.stat().st_size - event[1])
            with open(path, "rb+") as file:
                file.truncate(size)
            kept = [k for k, end in zip(expected, ends, strict=True) if end <= size]
            ends = [end for end in ends if end <= size]
            expected = kept
        assert lines(store) == expected


def test_a_torn_line_is_counted_and_the_next_one_begins_afresh(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.jsonl")
    put(store, 1)
    with open(store.path, "ab") as file:
        file.write(b'{"k": 2, "text": "xx')
    put(store, 3)
    assert lines(store) == [1, 3]
    assert store.torn == 1


def test_a_writer_waits_for_the_one_that_is_writing(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.jsonl")
    with FileLock(f"{store.path}.lock"):
        writer = threading.Thread(target=put, args=(store, 1))
        writer.start()
        writer.join(0.2)
        assert writer.is_alive()
        assert lines(store) == []
    writer.join()
    assert lines(store) == [1]


def write_many(path: Path, first: int) -> None:
    store = Store(path)
    for k in range(first, first + 100):
        put(store, k)


def test_two_processes_append_without_losing_or_mixing_lines(tmp_path: Path) -> None:
    path, context = tmp_path / "s.jsonl", multiprocessing.get_context("spawn")
    workers = [context.Process(target=write_many, args=(path, first)) for first in (0, 100)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert sorted(lines(Store(path))) == list(range(200))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full is a Linux device")
def test_a_full_disk_is_one_clear_sentence(tmp_path: Path) -> None:
    (tmp_path / "full.jsonl").symlink_to("/dev/full")
    with pytest.raises(KitError, match=r"full\.jsonl.*No space left.*free some space"):
        put(Store(tmp_path / "full.jsonl"), 1)


def test_what_a_filling_disk_tore_off_costs_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path / "s.jsonl")
    put(store, 1)

    def half(file: IO[bytes], data: bytes) -> None:
        file.write(data[: len(data) // 2])
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("react_kit.store._write_all", half)
        with pytest.raises(KitError, match=r"s\.jsonl.*No space left"):
            put(store, 2)
    assert put(store, 3) > 0  # the lock was let go
    assert lines(store) == [1, 3]
    assert store.torn == 1


def test_a_write_that_is_taken_only_in_part_is_finished() -> None:
    class Slow(io.BytesIO):
        def write(self, data: Any) -> int:
            return super().write(data[:3])

    file = Slow()
    _write_all(file, b'{"k": 1}\n')
    assert file.getvalue() == b'{"k": 1}\n'


@pytest.mark.parametrize(
    "rubbish",
    [
        b"\x00" * 50,
        b'{"k": "\xc3',
        b'{"k": ' + b"[" * 10**5 + b"]" * 10**5 + b"}",
        b"}{",
        b'{"k": 1}{"k": 2}',
    ],
    ids=["zeros", "half a letter", "deeply nested", "reversed", "two in one"],
)
def test_rubbish_is_counted_and_passed_over(tmp_path: Path, rubbish: bytes) -> None:
    store = Store(tmp_path / "s.jsonl")
    put(store, 1)
    with open(store.path, "ab") as file:
        file.write(rubbish)
    put(store, 3)
    assert lines(store) == [1, 3]
    assert store.torn == 1


def test_a_removed_record_leaves_a_tombstone_behind_it(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.jsonl")
    put(store, 1)
    before = store.path.read_bytes()
    store.remove("x\n")
    assert store.path.read_bytes() == before + b'{"tombstone":"x\\n"}\n'


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(KitError, match=str(tmp_path / "file")):
        put(Store(tmp_path / "file" / "s.jsonl"), 1)
