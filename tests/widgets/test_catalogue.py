"""The reader's list: light rows, filters and search, over a run that may still grow, be torn or be newer."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from react_kit import Episode, Run, load_task
from react_kit.errors import KitError
from react_kit.trajectory import SCHEMA, Trajectory, encode
from react_kit.widgets.catalogue import Catalogue


@pytest.fixture
def some(scripted: Any) -> list[Trajectory]:
    replies = [" One.\nAction 1: Search[Nowhere]", " Two.\nAction 2: Finish[yes]"]
    greedy = [Episode.start(i, model=scripted(*replies)).run() for i in load_task("hotpotqa")[:3]]
    sampled = Episode.start(
        load_task("fever")[0], "cot", model=scripted(" So.\nAnswer: REFUTES"), temperature=0.7, sample=4
    ).run()
    return [*greedy, sampled]


def stored(some: list[Trajectory], path: Path) -> Run:
    run = Run(path)
    for t in some:
        run.append(t)
    return run


def test_rows_of_a_run_and_of_a_list_say_the_same(some: list[Trajectory], tmp_path: Path) -> None:
    filed, held = Catalogue(stored(some, tmp_path)), Catalogue(some)
    strip = [msgspec.structs.replace(row, place=0) for row in filed.rows]
    assert strip == [msgspec.structs.replace(row, place=0) for row in held.rows]
    assert [filed[n].sha for n in range(4)] == [held[n].sha for n in range(4)] == [t.sha for t in some]
    row = filed.rows[0]
    assert (row.task, row.method, row.sample, row.stop, row.steps) == ("hotpotqa", "react", "", "answered", 2)
    assert row.notes == {"search_miss": 1}
    assert filed.rows[3].sample == "sample 4"


def test_filters_and_search(some: list[Trajectory]) -> None:
    catalogue = Catalogue(some)
    assert catalogue.find({}) == [0, 1, 2, 3]
    assert catalogue.find({"task": "fever"}) == [3]
    assert catalogue.find({"note": "search_miss", "task": ""}) == [0, 1, 2]
    assert catalogue.find({"verdict": "right"}) == [n for n, t in enumerate(some) if 1 in t.score.values()]
    assert catalogue.find({}, "  SEARCH[nowhere] ") == [0, 1, 2]
    assert catalogue.find({}, some[1].instance.question[5:25]) == [1]
    assert catalogue.find({"task": "fever"}, "nowhere") == []
    facets = catalogue.facets()
    assert facets["task"] == {"fever": 1, "hotpotqa": 3}
    assert facets["note"] == {"search_miss": 3}


def test_a_run_that_grows_is_followed(some: list[Trajectory], tmp_path: Path) -> None:
    catalogue = Catalogue(stored(some[:1], tmp_path))
    other = Run(tmp_path)  # as another process would write it
    other.append(some[1])
    with open(other.store.path, "ab") as file:
        file.write(encode(some[2])[:50])  # a line under way
    assert (catalogue.refresh(), len(catalogue)) == (1, 2)
    with open(other.store.path, "ab") as file:
        file.write(encode(some[2])[50:] + b"\n")
    assert (catalogue.refresh(), len(catalogue)) == (1, 3)
    assert catalogue.refresh() == 0
    assert catalogue[2].sha == some[2].sha
    other.store.remove(some[0].id)
    catalogue.refresh()
    assert [row.id for row in catalogue.rows] == [some[1].id, some[2].id]


def test_what_cannot_be_read_is_said_and_the_rest_is_shown(some: list[Trajectory], tmp_path: Path) -> None:
    run = stored(some[:2], tmp_path)
    newer = msgspec.json.decode(encode(some[2])) | {"schema": SCHEMA + 1}
    for line in (msgspec.json.encode(newer), b'{"id": 5}', b'{"id": "x"}', b"[1]"):
        run.store.append(line)
    catalogue = Catalogue(run)
    assert len(catalogue) == 2
    assert "update react-kit" in catalogue.problems[0]
    assert [("byte" in p and "left out" in p) for p in catalogue.problems[1:]] == [True, True, True]
    text = run.store.path.read_bytes().replace(b"Finish[yes]", b"Finish[yah]", 1)
    run.store.path.write_bytes(text)
    with pytest.raises(KitError, match="not as this kit wrote it"):
        catalogue[0]
    assert catalogue.find({}, "nowhere") == [1]


def test_nothing_and_wrong_things(tmp_path: Path) -> None:
    assert len(Catalogue([])) == 0
    assert len(Catalogue(Run(tmp_path / "empty"))) == 0
    with pytest.raises(KitError, match="a run, or trajectories"):
        Catalogue(5)  # type: ignore[arg-type]
    with pytest.raises(KitError, match=r"expected a trajectory, e\.g\. run\[0\]"):
        Catalogue(["a"])  # type: ignore[list-item]
