"""Run folders as sequences."""

from pathlib import Path

import msgspec
import pytest

from react_kit import Run, read_trajectories
from react_kit.errors import KitError
from react_kit.trajectory import SCHEMA, Cell, Instance, Step, Trajectory, trajectory_id


def make(instance: str, method: str = "react", notes: tuple[str, ...] = ()) -> Trajectory:
    cell = Cell("hotpotqa", instance, method, "p", "m")
    steps = (Step("t", notes=notes),)
    return Trajectory(
        trajectory_id(cell),
        cell,
        Instance(instance, "hotpotqa", "q?", "g"),
        steps,
        "a",
        "answered",
        {"em": 0.0},
    )


@pytest.fixture
def run(tmp_path: Path) -> Run:
    run = Run(tmp_path / "run")
    for t in [make("1"), make("2", notes=("search_miss",)), make("1", "act")]:
        run.append(t)
    return run


def test_it_is_a_sequence_that_survives_reopening(run: Run) -> None:
    again = read_trajectories(run.path)
    assert list(again) == list(run)
    assert len(again) == 3
    assert again[-1].cell.method == "act"
    assert [t.cell.instance for t in again[:2]] == ["1", "2"]
    assert list(read_trajectories(run.path / "trajectories.jsonl")) == list(run)


def test_where_asks_by_cell_or_by_any_condition(run: Run) -> None:
    assert [t.cell.instance for t in run.where(method="react")] == ["1", "2"]
    assert [t.cell.instance for t in run.where(lambda t: "search_miss" in t.notes)] == ["2"]
    assert run.where(lambda t: "search_miss" in t.notes, instance="1") == []
    with pytest.raises(KitError, match=r"no colour.*method"):
        run.where(colour="red")


def test_frame_has_one_row_a_trajectory(run: Run) -> None:
    frame = run.frame()
    assert list(frame["id"]) == [t.id for t in run]
    assert {"task", "method", "question", "gold", "answer", "stop", "steps", "notes", "em"} <= set(
        frame.columns
    )


def test_a_cell_recorded_twice_counts_once_and_a_tombstone_removes(run: Run) -> None:
    run.append(msgspec.structs.replace(make("1"), answer="another"))
    again = Run(run.path)
    assert (len(again), again[0].answer) == (3, "a")  # what was there first counts
    run.store.remove(run[0].id)
    assert make("1").id not in [t.id for t in Run(run.path)]
    Run(run.path).append(make("1"))
    assert Run(run.path)[-1] == make("1")  # what was removed may be recorded again


@pytest.mark.parametrize(
    "line",
    [
        b'{"role": "user", "content": "hi"}',
        b'{"id": 91198, "label": "SUPPORTS", "claim": "x"}',
        b'{"id": "x", "cell": "hotpotqa"}',
        b'{"id": "x", "cell": {"task": "t"}}',
        b'["user", "hi"]',
        b'"hi"',
        b"{}",
    ],
)
def test_lines_of_another_kind_are_named_by_place(run: Run, line: bytes) -> None:
    size = run.store.path.stat().st_size
    run.store.append(line)
    with pytest.raises(KitError, match=rf"trajectories\.jsonl at byte {size} is not a trajectory"):
        Run(run.path)


def test_a_line_that_breaks_off_into_another_kind_is_named_when_it_is_read(run: Run) -> None:
    size = run.store.path.stat().st_size
    plain = msgspec.to_builtins(make("9"))
    run.store.append(msgspec.json.encode(plain | {"steps": "none"}))
    again = Run(run.path)
    assert again[0] == run[0]
    with pytest.raises(KitError, match=rf"at byte {size} is not as this kit wrote it.*steps"):
        again[-1]


def test_a_run_cut_off_while_writing_resumes_without_its_last_line(run: Run) -> None:
    data = run.store.path.read_bytes()
    for cut in (1, 2, 40, 200):
        run.store.path.write_bytes(data[:-cut])
        again = Run(run.path)
        assert len(again) == (3 if cut == 1 else 2)  # 1: only the newline is missing
        again.append(make("3"))
        assert [t.cell.instance for t in Run(run.path)][-1] == "3"
        assert len(Run(run.path)) == len(again)


def test_a_later_schema_asks_for_an_update(run: Run) -> None:
    plain = msgspec.to_builtins(make("9")) | {"schema": SCHEMA + 1}
    run.store.append(msgspec.json.encode(plain))
    with pytest.raises(KitError, match=f"schema {SCHEMA + 1}.*update react-kit"):
        Run(run.path)


def test_a_place_without_trajectories_is_named(tmp_path: Path) -> None:
    with pytest.raises(KitError, match=str(tmp_path)):
        read_trajectories(tmp_path)


def test_a_broken_manifest_is_named(run: Run) -> None:
    (run.path / "run.json").write_text("{broken")
    with pytest.raises(KitError, match=r"run\.json is not as this kit wrote it"):
        _ = run.manifest


def test_what_is_there_already_is_not_added_again(run: Run) -> None:
    size = run.store.path.stat().st_size
    run.append(make("1"))
    assert (len(run), run.store.path.stat().st_size) == (3, size)


def test_a_file_of_another_kind_is_not_an_empty_run(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text("question,answer\nwho,me\n")
    with pytest.raises(KitError, match=r"x\.jsonl holds no JSON lines"):
        read_trajectories(tmp_path / "x.jsonl")


def test_a_line_that_was_changed_is_refused_not_counted(run: Run) -> None:
    data = run.store.path.read_bytes()
    run.store.path.write_bytes(data.replace(b'"answer":"a"', b'"answer":"g"', 1))
    with pytest.raises(KitError, match=r"at byte 0 is not as this kit wrote it.*play it anew"):
        list(Run(run.path))
    assert len(Run(run.path)) == 3  # the others can still be read
    assert Run(run.path)[1] == make("2", notes=("search_miss",))
