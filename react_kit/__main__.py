"""The command line: `react-kit run | report | export | fetch | doctor`. Each command is a few lines of Python."""

import argparse
import io
import sys
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

from react_kit.errors import KitError
from react_kit.text import visible

Command = Callable[[argparse.Namespace], int]


def run(args: argparse.Namespace) -> int:
    """Play an experiment into a run folder."""
    from react_kit import Experiment, load_task, open_model, open_wiki
    from react_kit.fidelity import preset
    from react_kit.prompts import load_prompts

    tasks = _names(args.task)
    if args.file and len(tasks) > 1:
        raise KitError(f"--file holds one task's data and --task names {len(tasks)}; expected one task.")
    sets = [load_task(name, args.split, args.file).draw(args.n, args.seed) for name in tasks]
    model = open_model(
        args.model,
        base_url=args.base_url,
        replay=args.replay,
        replay_only=args.replay_only,
        seed=args.seed or 0,
        max_cost=args.max_cost,
        price=args.price,
    )
    if args.instruction and not args.prompt:
        raise KitError(
            "--instruction goes before the exemplars of the authors' files; name one with --prompt."
        )
    instruction = _text(args.instruction) if args.instruction else ""
    experiment = Experiment(
        sets,
        model=model,
        out=args.out,
        methods=_names(args.method),
        corpus=open_wiki(args.corpus) if args.corpus else None,
        prompts=load_prompts(args.prompt, instruction) if args.prompt else None,
        fidelity=preset(args.fidelity),
        samples=args.samples,
        early_stop=args.early_stop,
    )
    done = experiment.run(workers=args.workers, progress=not args.quiet)
    print(f"{len(done)} trajectories are in {done.store.path}")
    return 1 if experiment.handle.failures else 0


def report(args: argparse.Namespace) -> int:
    """Print Table 1 and write every figure and table that the runs allow."""
    from react_kit.report import write_report
    from react_kit.run import read_trajectories

    runs = [read_trajectories(folder) for folder in args.runs]
    written = write_report(runs, args.out)
    print(Path(args.out, "table1.md").read_text(encoding="utf-8"))
    print(f"\nWritten to {args.out}: {', '.join(sorted(path.name for path in written))}")
    print(f"Trajectories: {', '.join(str(run.store.path) for run in runs)}")
    for store in (run.store for run in runs if run.store.torn):
        print(f"{store.path}: {store.torn} lines that a crash cut off were skipped", file=sys.stderr)
    return 0


def export(args: argparse.Namespace) -> int:
    """Write what a run holds in another form."""
    from react_kit import open_model
    from react_kit.models.replay import write_replay
    from react_kit.run import read_trajectories

    runs = [read_trajectories(folder) for folder in args.runs]
    keys = dict.fromkeys(call.key for run in runs for t in run for step in t.steps for call in step.calls)
    wanted = [key for key in keys if key != "edited"]
    cache = open_model("embedded", cache=args.cache, replay=args.replay)  # no model is started for this
    found = list(cache.export(wanted))
    if len(found) < len(wanted):
        raise KitError(
            f"{len(wanted) - len(found)} of {len(wanted)} replies of these runs are not in the reply cache "
            f"{cache.path}; export on the machine that made the runs, with --cache and --replay as they were."
        )
    print(f"{write_replay(found, args.out)} replies written to {args.out}")
    return 0


def fetch(args: argparse.Namespace) -> int:
    """Download and verify something that the package does not hold."""
    from react_kit.models import embedded

    print(f"the embedded model's weights are at {embedded.fetch()}")
    return 0


def doctor(args: argparse.Namespace) -> int:
    """Say what is installed, which data are here, which keys are set."""
    from react_kit.doctor import checks, data_problems

    if args.data:
        problems = data_problems()
        print("\n".join(map(str, problems)) or "the shipped data and the invented world keep every rule")
        return 1 if problems else 0
    rows = checks()
    for row in rows:
        print(f"{'ok' if row.ok else '--':3} {row.what:24} {row.found}")
    return 0 if all(row.ok or row.optional for row in rows) else 1


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as e:
        raise KitError(f"{path!r} is not UTF-8 ({e}); save it as UTF-8.") from e


def _price(text: str) -> tuple[float, float]:
    try:
        prompt, completion = map(float, text.split(","))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r}; expected two numbers such as 0.15,0.6") from None
    return prompt, completion


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "react-kit", description="ReAct (Yao et al., ICLR 2023) for researchers."
    )
    parser.add_argument("--version", action="version", version=f"react-kit {version('react-kit')}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(do: Command, example: str) -> argparse.ArgumentParser:
        says = (do.__doc__ or "").strip()
        sub = commands.add_parser(
            do.__name__,
            help=says,
            description=says,
            epilog=f"example:\n  {example}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        sub.set_defaults(do=do)
        return sub

    _run_options(command(run, "react-kit run --task hotpotqa --method react,cot-sc --n 3 --out runs/demo"))

    sub = command(report, "react-kit report runs/demo --out figures")
    sub.add_argument(
        "runs", nargs="+", metavar="DIR", help="run folders; of the same episode the first one counts"
    )
    sub.add_argument("--out", default="figures", metavar="DIR", help="where files go (default: figures)")

    sub = command(export, "react-kit export runs/demo --to replay --out demo.jsonl")
    sub.add_argument("runs", nargs="+", metavar="DIR", help="run folders")
    sub.add_argument(
        "--to", required=True, choices=["replay"], help="replay: the model's replies, for --replay"
    )
    sub.add_argument("--out", required=True, metavar="FILE")
    sub.add_argument(
        "--cache", metavar="FILE", help="the reply cache the runs were made with (default: yours)"
    )

    sub.add_argument("--replay", metavar="NAME", help="the replay that the runs were made from, if any")

    sub = command(fetch, "react-kit fetch embedded")
    sub.add_argument(
        "name", choices=["embedded"], help="embedded: the weights of SmolLM2-135M-Instruct, 98 MB"
    )

    sub = command(doctor, "react-kit doctor")
    sub.add_argument("--data", action="store_true", help="check the shipped data, rule by rule, instead")
    return parser


def _run_options(sub: argparse.ArgumentParser) -> None:
    add = sub.add_argument
    add("--task", required=True, help="hotpotqa, fever, or both with a comma")
    add("--split", default="tiny", help="tiny (default), tiny-train, or the invented fable, fable-train")
    add("--file", metavar="FILE", help="data of your own in the task's official format, instead of --split")
    add("--method", default="react", help="one or several of standard, cot, cot-sc, act, react, "
        "react-then-cot-sc, cot-sc-then-react, with commas (default: react)")  # fmt: skip
    add("--model", default="embedded", help="embedded (default), a model's name, or a .gguf file")
    add("--base-url", metavar="URL", help="a server in the OpenAI format, e.g. http://127.0.0.1:8000/v1")
    add("--n", type=int, metavar="N", help="that many instances: the first, or with --seed a random draw")
    add("--seed", type=int, help="of the draw and of sampling")
    add("--out", required=True, metavar="DIR", help="the run folder; an unfinished run there is resumed")
    add(
        "--corpus",
        metavar="NAME",
        help="tiny, fable, or a .jsonl file of articles (default: that of the split)",
    )
    add(
        "--prompt",
        metavar="FILE",
        help="prompts of your own: like prompts/hotpotqa.json, or the authors' files",
    )
    add("--instruction", metavar="FILE", help="text to put before the authors' Act and ReAct exemplars")
    add("--fidelity", default="paper", help="paper (default) or authors-code")
    add("--samples", type=int, default=21, metavar="N", help="CoT-SC samples (default: 21)")
    add("--early-stop", action="store_true", help="end a pool once its majority is certain")
    add(
        "--workers",
        type=int,
        default=1,
        metavar="N",
        help="questions at once (default: 1, best for embedded)",
    )
    add("--replay", metavar="NAME", help="answer from recorded replies: a shipped name or a .jsonl file")
    add("--replay-only", action="store_true", help="fail rather than call a model")
    add("--max-cost", type=float, metavar="USD", help="stop before the cost passes this")
    add("--price", type=_price, metavar="IN,OUT", help="dollars per million prompt and completion tokens")
    add("--quiet", action="store_true", help="no progress bar")


def main(argv: Sequence[str] | None = None) -> int:
    """Exit status: 0 done; 1 something failed, said in one sentence; 2 wrong usage; 130 interrupted."""
    args = _parser().parse_args(argv)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal's encoding may lack `→`
            stream.reconfigure(errors="replace")
    do: Command = args.do
    try:
        return do(args)
    except KitError as e:
        print(f"react-kit: {visible(str(e))}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # the reader of our output went away, e.g. `| head`
        sys.stderr.close()
        return 1
    except OSError as e:
        print(f"react-kit: {e.filename or 'system'}: {e.strerror or e}. Check the path.", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
