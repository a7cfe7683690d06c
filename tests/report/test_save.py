import json
import time

from react_kit.report.save import provenance, save_figure
from react_kit.run import Run


def draw():
    from matplotlib.figure import Figure

    figure = Figure(figsize=(2, 2))
    ax = figure.add_subplot()
    ax.plot([0, 1], label="ReAct → CoT-SC")
    ax.fill_between([0, 1], [0, 0], [1, 1], alpha=0.2)
    ax.set_title("EM → Acc")
    return figure


def test_saving_again_later_gives_the_same_bytes(tmp_path):
    first = save_figure(draw(), tmp_path / "a" / "figure")
    time.sleep(1.1)  # dates in these formats have seconds
    second = save_figure(draw(), tmp_path / "b" / "figure")
    assert [p.name for p in first] == ["figure.pdf", "figure.svg", "figure.png"]
    for one, two in zip(first, second, strict=True):
        assert one.read_bytes() == two.read_bytes(), one.name


def test_pdf_embeds_its_fonts_as_text_and_png_has_300_dpi(tmp_path):
    from PIL import Image

    pdf, _, png = save_figure(draw(), tmp_path / "figure")
    assert b"/FontFile2" in pdf.read_bytes()
    assert b"/Type3" not in pdf.read_bytes()
    assert b"CreationDate" not in pdf.read_bytes()
    with Image.open(png) as image:
        assert image.size == (600, 600)


def test_a_stem_may_hold_a_dot(tmp_path):
    paths = save_figure(draw(), tmp_path / "figure.v1", {"runs": []})
    assert [p.name for p in paths] == [f"figure.v1.{s}" for s in ("pdf", "svg", "png", "json")]


def test_provenance_tells_runs_models_and_versions_but_no_place_on_this_computer(episode, tmp_path):
    run = Run(tmp_path / "demo")
    run.append(episode())
    told = provenance([run, episode(instance="q2")])
    assert told["runs"] == ["demo"]
    assert told["trajectories"] == 2
    assert told["models"] == {"hotpotqa": "tiny-model"}
    assert told["prompts"] == {"hotpotqa": "six@1234"}
    assert told["fidelity"] == {"hotpotqa": "paper"}
    assert {"react-kit", "matplotlib"} <= told["versions"].keys()
    assert str(tmp_path) not in json.dumps(told)


def test_the_digest_depends_on_the_trajectories_and_not_on_their_order(episode):
    a, b = episode(instance="q1"), episode(instance="q2")

    def of(runs):
        return provenance(runs)["trajectory_ids_sha256"]

    assert of([a, b]) == of([b, a])
    assert of([a]) != of([b])
