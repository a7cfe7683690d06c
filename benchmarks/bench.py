"""What the kit itself costs: import, CPU per step, memory of a long run. Prints Markdown; see README.md.

Run: python benchmarks/bench.py
"""

import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

HEAVY = ("numpy", "pandas", "matplotlib", "ipywidgets", "openai", "pydantic", "requests")
REPLIES = [
    " I need to look this up first, then decide.\nAction {i}: Search[Danube]",
    " The beginning does not say it, so I should look for the word.\nAction {i}: Lookup[river]",
    " That is no help, so I try another title.\nAction {i}: Search[Mercury]",
    " I have seen enough to answer.\nAction {i}: Finish[1889]",
]
CONTRACT = (
    "Trajectory, Step, Action, Run, read_trajectories, open_model, open_wiki, load_task, "
    "Episode, METHODS, TASKS, Experiment, Fidelity, PAPER, AUTHORS_CODE"
)


def openai_megabytes() -> float:
    """Peak resident megabytes of a process that only imports the client."""
    code = "import openai, resource; print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)"
    return float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout)


def import_cost(statement: str, times: int = 7) -> tuple[float, list[str]]:
    """Median CPU milliseconds of a statement beside an empty interpreter, and the heavy modules it loads."""
    code = (
        "import time, sys; t = time.process_time()\n{}\n"
        "print(time.process_time() - t, *[m for m in {!r} if m in sys.modules])"
    )
    seconds, heavy = [], []
    for _ in range(times):
        out = subprocess.run(
            [sys.executable, "-c", code.format(statement, HEAVY)], capture_output=True, text=True
        )
        first, *heavy = out.stdout.split()
        seconds.append(float(first))
    return 1000 * statistics.median(seconds), heavy


class Instant:
    """A model client that costs nothing: what is left is the kit's own work."""

    name, identity = "instant", {"endpoint": "none", "model": "instant"}

    def sample(self, prompt, *, n=1, **settings):
        from react_kit.trajectory import Call, Usage

        i = prompt.rsplit("Thought ", 1)[1].split(":")[0]
        return [Call("k", REPLIES[(int(i) - 1) % 4].format(i=i), usage=Usage(1000, 30, 900))] * n


def step_cost(episodes: int = 300) -> tuple[float, int]:
    """CPU milliseconds a step (prompt, parse, environment, record on disk) and the number of steps."""
    from react_kit import Episode, Run, load_task

    task, model = load_task("hotpotqa"), Instant()
    with tempfile.TemporaryDirectory() as folder:
        run = Run(folder)
        Episode.start(task[0], model=model).run()  # corpus and prompts are read once
        began, steps = time.process_time(), 0
        for k in range(episodes):
            trajectory = Episode.start(task[k % len(task)], model=model, sample=k).run()
            run.append(trajectory)
            steps += len(trajectory.steps)
        return 1000 * (time.process_time() - began) / steps, steps


class MockServer(BaseHTTPRequestHandler):
    """Completions in the OpenAI format, at once."""

    def do_POST(self) -> None:
        prompt = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["prompt"]
        i = prompt.rsplit("Thought ", 1)[-1].split(":")[0]
        text = REPLIES[(int(i) - 1) % 4].format(i=i) if i.isdigit() else REPLIES[3].format(i=1)
        body = {
            "id": "x", "object": "text_completion", "created": 0, "model": "mock",
            "choices": [{"index": 0, "text": text, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 1000, "completion_tokens": 30, "total_tokens": 1030},
        }  # fmt: skip
        data = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args: object) -> None:
        pass


def long_run(episodes: int = 200) -> tuple[float, float]:
    """Peak resident megabytes and CPU milliseconds a step of a run against a mock server over HTTP."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), MockServer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    code = f"""
import resource, tempfile, time
from dataclasses import replace
import msgspec
from react_kit import Experiment, load_task, open_model
from react_kit.tasks import Instances
task = load_task("hotpotqa")
many = [msgspec.structs.replace(task[k % len(task)], id=str(k)) for k in range({episodes})]
with tempfile.TemporaryDirectory() as out:
    model = open_model("mock", base_url="http://127.0.0.1:{server.server_port}/v1", cache=out + "/c.sqlite")
    began = time.process_time()
    run = Experiment(Instances(task.task, "many", many), model=model, out=out + "/run").run(workers=4, progress=False)
    steps = sum(len(t.steps) for t in run)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1000 * (time.process_time() - began) / steps)
"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    server.shutdown()
    megabytes, milliseconds = map(float, out.stdout.split())
    return megabytes, milliseconds


def main() -> None:
    bare, heavy = import_cost("import react_kit")
    names, heavy_names = import_cost(f"from react_kit import {CONTRACT}")
    client, _ = import_cost("import openai")
    step, steps = step_cost()
    memory, over_http = long_run()
    loads = [", ".join(found) or "none" for found in (heavy, heavy_names)]
    rows = [
        ("`import react_kit`, CPU", f"{bare:.0f} ms", "150 ms", f"heavy modules: {loads[0]}"),
        ("all contract names, CPU", f"{names:.0f} ms", "150 ms", f"heavy modules: {loads[1]}"),
        ("", "", "", f"`import openai` alone: {client / names:.0f} times that"),
        (
            f"own CPU a step ({steps} steps)",
            f"{step:.2f} ms",
            "0.5 ms",
            f"with client and HTTP: {over_http / step:.0f} times that",
        ),
        (
            "peak memory, 200 episodes over HTTP",
            f"{memory:.0f} MB",
            "100 MB",
            f"`import openai` alone: {openai_megabytes():.0f} MB",
        ),
    ]
    print(f"{platform.platform()}, {os.cpu_count()} cores, Python {platform.python_version()}\n")
    print("| what | measured | limit | beside |\n|---|---|---|---|")
    for row in rows:
        print(f"| {' | '.join(row)} |")


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
    main()
