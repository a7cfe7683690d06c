"""`react-kit`: what a user types, what comes back."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from react_kit.__main__ import main

ROOT = Path(__file__).parent.parent
COMMANDS = ["run", "report", "export", "fetch", "doctor"]
REPLAY = ["--replay", "tiny", "--replay-only", "--quiet"]


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REACT_KIT_CACHE", str(tmp_path / "cache.sqlite"))


@pytest.mark.parametrize("command", COMMANDS)
def test_help_shows_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main([command, "--help"])
    assert stop.value.code == 0
    assert f"example:\n  react-kit {command}" in capsys.readouterr().out


def test_run_report_and_export_from_the_shipped_replay(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "run")
    run = ["run", "--task", "hotpotqa,fever", "--method", "react,cot-sc", "--n", "2", "--out", out, *REPLAY]
    assert main(run) == 0
    episodes = 2 * 2 * (1 + 21)
    assert capsys.readouterr().out == f"{episodes} trajectories are in {out}/trajectories.jsonl\n"

    assert main(["report", out, "--out", str(tmp_path / "figures")]) == 0
    said = capsys.readouterr().out
    assert "ReAct" in said
    assert "CoT-SC" in said
    for name in ("table1.csv", "table1.md", "table1.tex", "figure2.pdf", "figure2.svg", "figure2.png"):
        assert (tmp_path / "figures" / name).stat().st_size > 0, name
        assert name in said

    export = ["export", out, "--to", "replay", "--out", str(tmp_path / "again.jsonl")]
    # The replies came from the shipped replay, so they are not in this user's own cache.
    assert main(export) == 1
    assert "not in the reply cache" in capsys.readouterr().err
    assert main([*export, "--replay", "tiny"]) == 0
    assert (tmp_path / "again.jsonl").stat().st_size > 0


def test_running_again_adds_nothing(tmp_path: Path) -> None:
    run = ["run", "--task", "fever", "--method", "act", "--n", "3", "--out", str(tmp_path), *REPLAY]
    assert main(run) == 0
    before = (tmp_path / "trajectories.jsonl").read_bytes()
    assert main(run) == 0
    assert (tmp_path / "trajectories.jsonl").read_bytes() == before


def test_n_with_a_seed_draws_and_without_takes_the_first(tmp_path: Path) -> None:
    from react_kit import load_task, read_trajectories

    common = ["run", "--task", "fever", "--method", "majority", "--n", "4", *REPLAY]
    main([*common, "--out", str(tmp_path / "first")])
    main([*common, "--out", str(tmp_path / "drawn"), "--seed", "1"])
    first, drawn = (
        [t.instance.id for t in read_trajectories(tmp_path / name)] for name in ("first", "drawn")
    )
    assert first == [i.id for i in load_task("fever")[:4]]
    assert drawn != first
    assert len(set(drawn)) == 4


@pytest.mark.parametrize(
    ("arguments", "value", "expected"),
    [
        (["--task", "triviaqa"], "'triviaqa'", "hotpotqa"),
        (["--method", "reakt"], "'reakt'", "react"),
        (["--split", "test"], "'test'", "tiny"),
        (["--corpus", "wikipedia"], "'wikipedia'", "tiny"),
        (["--fidelity", "papre"], "'papre'", "paper"),
        (["--prompt", "no/such.json"], "no/such.json", "Check the path"),
        (["--file", "no/such.json"], "no/such.json", "official format"),
        (["--instruction", "no/such.txt", "--prompt", "x.json"], "no/such.txt", "Check the path"),
        (["--replay", "no/such.jsonl"], "no/such.jsonl", "Check the path"),
        (["--model", "no/such.gguf"], "no/such.gguf", "GGUF"),
        (["--model", "m", "--base-url", "localhost:80"], "localhost:80", "http://"),
        (["--n", "0"], "0", "at least 1"),
        (["--samples", "0"], "0", "at least 1"),
        (["--workers", "0"], "0", "at least 1"),
        (["--model", "unheard-of", "--max-cost", "1"], "'unheard-of'", "price"),
        (["--method", ","], "[]", "at least one"),
        (["--task", ""], "[]", "at least one"),
        (["--out", ""], "''", "run folder"),
        (["--out", "run.jsonl"], "'run.jsonl'", "run folder"),
        (["--model", ""], "''", "expected"),
        (["--model", "m", "--max-cost", "nan", "--price", "1,1"], "nan", "0 or more"),
        (["--instruction", "x.txt"], "--instruction", "--prompt"),
        (
            ["--instruction", __file__, "--prompt", str(ROOT / "prompts" / "hotpotqa.json")],
            "hotpotqa.json",
            "Edit",
        ),
        (["--corpus", "no/such.jsonl"], "no/such.jsonl", "Check the path"),
        (
            ["--task", "hotpotqa,fever", "--prompt", str(ROOT / "prompts" / "fever.json")],
            "several",
            "one by one",
        ),
        (["--task", "hotpotqa,fever", "--file", "x.json"], "2", "one task"),
    ],
)
def test_a_mistake_gets_one_sentence_with_the_value_and_what_to_do(
    arguments: list[str], value: str, expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["run", "--task", "hotpotqa", "--out", str(tmp_path / "run"), *arguments])
    captured = capsys.readouterr()
    assert code == 1
    assert captured.err.startswith("react-kit: ")
    assert captured.err.count("\n") == 1
    assert value in captured.err
    assert expected in captured.err
    assert not (tmp_path / "run" / "trajectories.jsonl").exists()


@pytest.mark.parametrize("command", ["report", "export"])
def test_a_folder_without_trajectories(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = ["--to", "replay", "--out", str(tmp_path / "x")] if command == "export" else []
    assert main([command, str(tmp_path), *more]) == 1
    assert str(tmp_path) in capsys.readouterr().err


def test_doctor_says_whether_a_key_is_set_and_never_its_value(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    assert main(["doctor"]) == 0
    out = capsys.readouterr().out
    assert "very-secret" not in out
    (line,) = (line for line in out.splitlines() if "OPENAI_API_KEY" in line)
    assert line.split() == ["ok", "OPENAI_API_KEY", "set"]
    for name in ("matplotlib", "xllamacpp", "data/tiny", "replay tiny"):
        assert name in out


def test_the_module_runs_and_a_closed_pipe_is_no_traceback(tmp_path: Path) -> None:
    command = f"{sys.executable} -m react_kit doctor | head -1"
    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, cwd=tmp_path, env=dict(os.environ)
    )
    assert done.stdout.startswith("ok")
    assert "Traceback" not in done.stderr


def test_figures_carry_where_they_came_from(tmp_path: Path) -> None:
    out = str(tmp_path / "run")
    main(["run", "--task", "hotpotqa", "--method", "cot-sc,react", "--n", "2", "--out", out, *REPLAY])
    main(["report", out, "--out", str(tmp_path / "figures")])
    provenance = json.loads((tmp_path / "figures" / "figure2.json").read_text())
    assert "SmolLM2" in json.dumps(provenance)


def test_lines_that_a_crash_cut_off_are_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = ["run", "--task", "fever", "--method", "act", "--n", "2", "--out", str(tmp_path / "run"), *REPLAY]
    assert main(run) == 0
    with open(tmp_path / "run" / "trajectories.jsonl", "ab") as file:
        file.write(b'{"id": "12')
    assert main(["report", str(tmp_path / "run"), "--out", str(tmp_path / "figures")]) == 0
    assert "trajectories.jsonl: 1 lines that a crash cut off were skipped" in capsys.readouterr().err


def test_a_terminal_without_the_characters_still_gets_its_report(tmp_path: Path) -> None:
    out = tmp_path / "run"
    assert main(["run", "--task", "fever", "--method", "act", "--n", "1", "--out", str(out), *REPLAY]) == 0
    command = [sys.executable, "-m", "react_kit", "report", str(out), "--out", str(tmp_path / "figures")]
    done = subprocess.run(
        command, capture_output=True, env={**os.environ, "PYTHONIOENCODING": "ascii:strict"}
    )
    assert done.returncode == 0, done.stderr
    assert b"CoT-SC ? ReAct" in done.stdout


def test_an_error_does_not_steer_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(tmp_path / "\x1b[2Jgone")]) == 1
    assert "\\x1b[2Jgone" in capsys.readouterr().err


def test_doctor_checks_the_data(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--data"]) == 0
    assert "keep every rule" in capsys.readouterr().out
