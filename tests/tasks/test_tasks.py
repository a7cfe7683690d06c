"""Loading questions and claims in their official formats."""

import json
from pathlib import Path

import pytest

from react_kit import load_task, open_wiki
from react_kit.errors import KitError
from react_kit.tasks.fever import title_of
from react_kit.trajectory import SentenceRef

PUBLIC = Path(__file__).parents[3] / "shared" / "data"


def test_hotpotqas_official_fields(tmp_path: Path) -> None:
    row = {
        "_id": "5a", "question": " Who? ", "answer": "Ann", "type": "bridge", "level": "hard",
        "supporting_facts": [["A", 0], ["B (film)", 3]], "context": [["A", ["One."]]],
    }  # fmt: skip
    (tmp_path / "q.json").write_text(json.dumps([row, {"question": "No answer given?"}]))
    first, second = load_task("hotpotqa", path=tmp_path / "q.json")
    assert (first.id, first.question, first.answer, first.kind) == ("5a", "Who?", "Ann", "bridge")
    assert first.evidence == ((SentenceRef("A", 0), SentenceRef("B (film)", 3)),)
    assert (second.answer, second.evidence) == (None, ())
    assert len(second.id) == 24


def test_fevers_official_fields(tmp_path: Path) -> None:
    rows = [
        {"id": 7, "verifiable": "VERIFIABLE", "label": "SUPPORTS", "claim": "X.",
         "evidence": [[[1, 2, "Mercury_-LRB-planet-RRB-", 3]], [[4, 5, "A", 0], [4, 6, "B", 1]]]},
        {"id": 8, "verifiable": "NOT VERIFIABLE", "label": "NOT ENOUGH INFO", "claim": "Y.",
         "evidence": [[[9, None, None, None]]]},
    ]  # fmt: skip
    (tmp_path / "c.jsonl").write_text("\n".join(map(json.dumps, rows)))
    first, second = load_task("fever", path=tmp_path / "c.jsonl")
    assert first.evidence == (
        (SentenceRef("Mercury (planet)", 3),),
        (SentenceRef("A", 0), SentenceRef("B", 1)),
    )
    assert (first.id, second.answer, second.evidence) == ("7", "NOT ENOUGH INFO", ())


def test_instances_without_an_id_get_different_ones(tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_text('{"claim": "Same."}\n{"claim": "Same."}\n')
    a, b = load_task("fever", path=tmp_path / "c.jsonl")
    assert a.id != b.id


def test_page_names_lose_their_escapes() -> None:
    assert title_of("Love_Me_Do_-LRB-song-RRB-") == "Love Me Do (song)"
    assert title_of("Star_Trek-COLON-_Picard") == "Star Trek: Picard"


@pytest.mark.parametrize("text", ["", "{", '{"question": 1}', '[{"answer": "x"}]', "[1]"])
def test_a_file_of_another_kind_is_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(KitError, match=r"x\.json is not in HotpotQA's official format"):
        load_task("hotpotqa", path=tmp_path / "x.json")


def test_a_broken_claim_is_named_by_its_line(tmp_path: Path) -> None:
    (tmp_path / "x.jsonl").write_text('{"claim": "fine"}\n{"clam": "typo"}\n')
    with pytest.raises(KitError, match=r"x\.jsonl line 2"):
        load_task("fever", path=tmp_path / "x.jsonl")


def test_a_draw_is_by_seed_and_keeps_the_order() -> None:
    task = load_task("hotpotqa")
    drawn = task.draw(5, seed=1)
    assert list(drawn) == list(task.draw(5, seed=1))
    assert list(drawn) != list(task.draw(5, seed=2))
    assert [i for i in task if i in list(drawn)] == list(drawn)
    assert list(task.draw(3)) == list(task[:3])
    assert len(task.draw(10**6, seed=0)) == len(task.draw()) == len(task)


@pytest.mark.parametrize(
    ("name", "pattern"), [("hotpotqa", "*hotpot*dev*.json"), ("fever", "*paper_dev*.jsonl")]
)
def test_the_public_files_load(name: str, pattern: str) -> None:
    files = sorted(PUBLIC.rglob(pattern)) if PUBLIC.is_dir() else []
    if not files:
        pytest.skip("needs ../shared/data")
    task = load_task(name, path=files[0])
    assert len(task) > 100
    assert all(i.question and i.id for i in task)
    assert len({i.id for i in task}) == len(task)


def test_a_byte_order_mark_and_blank_lines_do_no_harm(tmp_path: Path) -> None:
    (tmp_path / "q.json").write_bytes(b'\xef\xbb\xbf[{"question": "Who?", "answer": "Ann"}]')
    (tmp_path / "c.jsonl").write_bytes(b'\xef\xbb\xbf{"claim": "X."}\r\n\r\n{"claim": "Y."}\r\n')
    assert load_task("hotpotqa", path=tmp_path / "q.json")[0].question == "Who?"
    assert [i.question for i in load_task("fever", path=tmp_path / "c.jsonl")] == ["X.", "Y."]


def test_an_id_that_occurs_again_is_made_another(tmp_path: Path) -> None:
    rows = [{"_id": "1", "question": q, "answer": "A"} for q in ("One?", "Two?", "One?")]
    (tmp_path / "q.json").write_text(json.dumps(rows))
    ids = [i.id for i in load_task("hotpotqa", path=tmp_path / "q.json")]
    assert ids[0] == "1"
    assert len(set(ids)) == 3
    assert ids == [i.id for i in load_task("hotpotqa", path=tmp_path / "q.json")]


def test_a_file_without_instances_is_named(tmp_path: Path) -> None:
    (tmp_path / "q.json").write_text("[]")
    with pytest.raises(KitError, match=r"q\.json' holds no HotpotQA instances"):
        load_task("hotpotqa", path=tmp_path / "q.json")


def test_the_invented_world_is_a_split_with_articles_of_its_own() -> None:
    for name, count in (("hotpotqa", 200), ("fever", 300)):
        instances = load_task(name, "fable")
        assert len(instances) >= count
        assert instances.split == "fable"
        corpus = open_wiki("fable")
        assert all(corpus.lookup_title(ref.title) for i in instances for group in i.evidence for ref in group)
        assert not {i.id for i in instances} & {i.id for i in load_task(name, "tiny")}
    assert open_wiki("fable-train").sha256 != open_wiki("fable").sha256
    deep = load_task("hotpotqa", "fable-deep")
    assert {i.kind for i in deep} == {"3-hop", "4-hop"}
    assert len(deep) + len(load_task("hotpotqa", "fable")) == 400
    with pytest.raises(KitError, match="FEVER has no instances in 'fable-deep'"):
        load_task("fever", "fable-deep")
    with pytest.raises(KitError, match="fable, fable-deep, fable-train"):
        load_task("fever", "fabel")
