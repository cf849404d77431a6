"""`assistant bench …`: speed and memory of the assistant on this machine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.table import Table

from assistant.bench import bus as hops_bench
from assistant.bench import generator as generator_bench
from assistant.bench import idle as idle_bench
from assistant.bench import providers as providers_bench
from assistant.bench import retrieval as retrieval_bench
from assistant.bench import stages as stages_bench
from assistant.bench import whisper as whisper_bench
from assistant.cli.shared.output import console, emit, progress
from assistant.core.config import config_files, load_config
from assistant.core.models.manifest import Library
from assistant.core.models.providers import CPU

app = typer.Typer(no_args_is_help=True, help="How quick and how heavy the assistant is here.")

Json = Annotated[bool, typer.Option("--json", help="One JSON object a line on stdout.")]


@app.command()
def bus(
    runs: Annotated[int, typer.Option(min=1, help="Runs whose median counts.")] = 5,
    hops: Annotated[int, typer.Option(min=100, help="Messages a run.")] = 1000,
    json: Json = False,
) -> None:
    """Time one hop between two processes, 1 kB and 200 kB, busy and with 5 ms idle between."""
    with progress("sending") as told:
        figures = hops_bench.measure(runs, hops, told)
    _show(f"One-way hop, median of {runs} runs of {hops}", figures, figures.hops, json)


@app.command()
def generator(
    runs: Annotated[int, typer.Option(min=1, help="Runs whose median counts.")] = 3,
    json: Json = False,
) -> None:
    """Time the generator and GPT-Neo's shape in two engines, and fifty questions at once."""
    config, _ = load_config(config_files(None))
    with progress("generating") as told:
        figures = generator_bench.measure(Library(config.models_dir), runs, progress=told)
    if not json:
        _table("Fifty requests at once, two workers", figures.crowds)
    _show("Tokens a second, batch 1, int8; random weights", figures, figures.speeds, json)


@app.command()
def idle(
    seconds: Annotated[float, typer.Option(min=1, help="Of silence, of noise and of talk.")] = 60.0,
    noise: Annotated[
        Path | None, typer.Option(help="A recording of noise; without one pink noise is made.")
    ] = None,
    home: Annotated[Path | None, typer.Option(help="YAML file of areas and devices.")] = None,
    models: Annotated[
        Path | None, typer.Option(help="A folder of pulled models, such as whisper's.")
    ] = None,
    json: Json = False,
) -> None:
    """Measure the daemon's processor time and memory while nobody speaks to it."""
    with progress("listening") as told:
        figures = idle_bench.measure(seconds, noise, told, home=home, models=models)
    title = f"{seconds:g} s of silence, noise ({figures.noise}) and talk, shares of one core"
    _show(title, figures, figures.processes, json)


@app.command()
def providers(
    runs: Annotated[int, typer.Option(min=1, help="Runs whose median counts.")] = 5,
    json: Json = False,
) -> None:
    """Time each model of onnxruntime on the CPU and on whatever else runs it here."""
    config, _ = load_config(config_files(None))
    with progress("running") as told:
        figures = providers_bench.measure(Library(config.models_dir), runs, progress=told)
    title = f"A sentence, a token or 0.8 s of sound, medians of {runs} runs, one thread"
    _show(title, figures, figures.rows, json)
    if not json and figures.providers == (CPU,):
        console.print("The installed onnxruntime has no other provider: see docs/boards.md.")


@app.command()
def retrieval(
    passages: Annotated[
        list[int] | None, typer.Option(min=100, help="How many there are; may be repeated.")
    ] = None,
    questions: Annotated[int, typer.Option(min=10, help="Searches of each way.")] = 200,
    quick: Annotated[bool, typer.Option("--quick", help="A thousand passages.")] = False,
    json: Json = False,
) -> None:
    """Time the search among 10,000 and 100,000 passages: FAISS, SQLite FTS5 and NumPy."""
    sizes = passages or ([1000] if quick else retrieval_bench.SIZES)
    with progress("searching") as told:
        figures = retrieval_bench.measure(sizes, questions, told)
    _show(f"{questions} searches on one thread", figures, figures.rows, json)


@app.command()
def stages(
    runs: Annotated[int, typer.Option(min=1, help="Runs whose median counts.")] = 3,
    utterances: Annotated[int, typer.Option(min=1, help="Spoken commands a run.")] = 10,
    json: Json = False,
) -> None:
    """Time each stage from the end of speech to the first sound of the reply."""
    with progress("speaking") as told:
        figures = stages_bench.measure(runs, utterances, progress=told)
    title = f"{figures.replies} replies to {figures.utterances} commands, medians of {runs} runs"
    _show(title, figures, (*figures.stages, *filter(None, [figures.action])), json)


@app.command()
def whisper(
    runs: Annotated[int, typer.Option(min=1, help="Runs whose median counts.")] = 3,
    json: Json = False,
) -> None:
    """Time tiny.en's shape on commands, ours beside faster-whisper's own; random weights."""
    with progress("recognising") as told:
        figures = whisper_bench.measure(
            runs, load_config(config_files(None))[0].asr.threads, progress=told
        )
    _show("A spoken command, int8", figures, figures.speeds, json)


def _show(title: str, figures: msgspec.Struct, rows: Sequence[msgspec.Struct], json: bool) -> None:
    """Print a table with a row for each of `rows`, and the other figures below it."""
    if json:
        emit(figures)
        return
    _table(title, rows)
    for name, value in msgspec.to_builtins(figures).items():
        if not isinstance(value, list | tuple):
            console.print(f"{name}: {value}")


def _table(title: str, rows: Sequence[msgspec.Struct]) -> None:
    table = Table(title=title)
    plain: list[dict[str, Any]] = [msgspec.to_builtins(row) for row in rows]
    for name, value in plain[0].items() if plain else ():
        table.add_column(name, justify="left" if isinstance(value, str) else "right")
    for row in plain:
        table.add_row(*map(str, row.values()))
    console.print(table)
