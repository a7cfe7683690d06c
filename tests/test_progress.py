"""What a run shows while it plays."""

from pathlib import Path

import pytest

from react_kit import Experiment, open_model


def test_it_shows_task_rate_and_running_scores(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = open_model("embedded", replay="tiny", replay_only=True, cache=tmp_path / "none.sqlite")
    Experiment(["hotpotqa", "fever"], methods=["standard"], model=model, out=tmp_path / "run", n=9).run()
    last = capsys.readouterr().err.replace("\r", "\n").strip().splitlines()[-1]
    assert last.startswith("fever: 100%")
    assert "18/18" in last
    assert "ep/s" in last
    assert "standard=0.33" in last  # of the task being played, not of both together


def test_a_resumed_run_says_what_was_done_before(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = open_model("embedded", replay="tiny", replay_only=True, cache=tmp_path / "none.sqlite")
    for n in (2, 5):
        Experiment("fever", methods=["standard"], model=model, out=tmp_path / "run", n=n).run()
    assert "2 of 5 done before, now fever: 100%" in capsys.readouterr().err
    Experiment("fever", methods=["standard"], model=model, out=tmp_path / "run", n=5).run()
    assert capsys.readouterr().err == ""
