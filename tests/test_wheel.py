"""The wheel in an environment of its own, run from another folder."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.slow
def test_the_wheel_carries_prompts_data_and_replay(tmp_path: Path) -> None:
    def run(*command: str) -> str:
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=tmp_path, env={"HOME": str(tmp_path)} | PASS
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", ".", str(ROOT))
    run(sys.executable, "-m", "venv", "env")
    (wheel,) = tmp_path.glob("*.whl")
    run("env/bin/pip", "install", "--quiet", "-c", str(ROOT / "constraints.txt"), wheel.name)
    kit = "env/bin/react-kit"
    # Without the extra `embedded`: recorded replies need no model.
    common = ["run", "--task", "hotpotqa,fever", "--method", "standard,react", "--n", "1"]
    said = run(kit, *common, "--replay", "tiny", "--replay-only", "--quiet", "--out", "demo")
    assert said == "4 trajectories are in demo/trajectories.jsonl\n"
    assert "ReAct" in run(kit, "report", "demo", "--out", "figures")
    card = "import react_kit as r; print(r.Run('demo')[0]._repr_html_().count('<article'))"
    assert run("env/bin/python", "-c", card).strip() == "1"
    where = run("env/bin/python", "-c", "import react_kit.resources as r; print(r.share('prompts'))")
    assert Path(where.strip()).is_relative_to(tmp_path / "env")


def _passed_on() -> dict[str, str]:
    """What a subprocess needs of this environment to reach the package index; nothing of this kit's settings."""
    import os

    keep = ("PATH", "LANG", "PIP_", "SSL_", "HTTP", "http", "REQUESTS_", "NO_PROXY", "no_proxy", "UV_")
    return {name: value for name, value in os.environ.items() if name.startswith(keep)}


PASS = _passed_on()
