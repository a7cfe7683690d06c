import csv
import io

import msgspec
import pytest

from react_kit.report.numbers import PAPER_TABLE1
from react_kit.report.table1 import counted, latex_escape, table1

ORDER = ["standard", "cot", "cot-sc", "act", "react", "cot-sc-then-react", "react-then-cot-sc"]


def test_rows_are_in_the_paper_s_order_beside_its_numbers(study):
    frame = table1([study(4), study(4, task="fever", seed=1)]).frame
    assert list(frame.index) == [*ORDER, "supervised SoTA"]
    for task in ("hotpotqa", "fever"):
        assert frame[task]["paper"].to_dict() == {
            **PAPER_TABLE1[task],
            "supervised SoTA": {"hotpotqa": 67.5, "fever": 89.5}[task],
        }


def test_scores_are_percent_with_wilson_s_interval_and_each_method_s_own_n(episode):
    made = [episode(instance=f"q{k}", answer="Vienna" if k else "Graz") for k in range(4)]
    frame = table1([*made, episode(method="act")]).frame["hotpotqa"]
    assert frame.loc["react", "score"] == 75
    assert (frame.loc["react", "low"], frame.loc["react", "high"]) == pytest.approx((30.06, 95.44), abs=0.01)
    assert (frame.loc["react", "n"], frame.loc["act", "n"], frame.loc["cot", "n"]) == (4, 1, 0)


def test_the_note_tells_model_live_replayed_and_left_out(episode):
    made = [episode(instance=f"q{k}", replayed=int(k < 30)) for k in range(33)]
    note = table1([*made, episode(instance="q99", answer=None, stop="unavailable")]).note
    assert "tiny-model, n = 3 live + 30 replayed" in note
    assert "1 unavailable" in note
    assert "PaLM-540B" in note


def test_a_question_with_one_live_method_counts_as_live(episode):
    made = [episode(replayed=1), episode(method="act", replayed=0)]
    assert "n = 1 live, fidelity paper" in table1(made).note


def test_only_what_there_is_is_counted():
    assert counted(3, 0) == "3 live"
    assert counted(0, 30) == "30 replayed"


def test_latex_is_a_booktabs_table_with_everything_escaped(episode):
    text = table1([episode(model="my_model%1")]).latex()
    for part in (r"\toprule", r"\bottomrule", r"my\_model\%1", r"CoT-SC $\rightarrow$ ReAct & --"):
        assert part in text
    rows = [line for line in text.splitlines() if line.endswith(r"\\") and "multicolumn" not in line]
    assert {line.count(" & ") for line in rows} == {4}
    assert "→" not in text


def test_latex_escapes_every_special_character():
    assert latex_escape(r"\a_{b}&#") == r"\textbackslash{}a\_\{b\}\&\#"


def test_markdown_has_as_many_cells_in_every_row(study):
    lines = [line for line in table1(study(3)).markdown().splitlines() if line.startswith("|")]
    assert len(lines) == 10
    assert len({line.count("|") for line in lines}) == 1
    assert "| ReAct → CoT-SC |" in lines[8]


def test_csv_is_long_and_unrounded(episode):
    made = [episode(instance=f"q{k}", answer="Vienna" if k else "Graz") for k in range(3)]
    rows = list(csv.DictReader(io.StringIO(table1(made).csv())))
    react = next(row for row in rows if row["method"] == "react")
    assert react["task"] == "hotpotqa"
    assert float(react["score"]) == pytest.approx(200 / 3)


def test_a_notebook_shows_it_escaped(episode):
    shown = table1([episode(model="<script>x</script>")])._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown


def test_saving_writes_three_forms_the_same_way_twice(study, tmp_path):
    made = study(3)
    first = [p.read_bytes() for p in table1(made).save(tmp_path / "a")]
    assert sorted(p.name for p in (tmp_path / "a").iterdir()) == ["table1.csv", "table1.md", "table1.tex"]
    assert first == [p.read_bytes() for p in table1(made).save(tmp_path / "b")]


def test_a_method_that_asks_no_model_does_not_make_a_replay_live(episode):
    silent = episode(method="guess", instance="a")
    silent = msgspec.structs.replace(silent, steps=(msgspec.structs.replace(silent.steps[0], calls=()),))
    assert "n = 1 replayed" in table1([silent, episode(instance="a", replayed=1)]).note
    assert "n = 1 live" in table1(silent).note
