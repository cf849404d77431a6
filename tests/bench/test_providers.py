"""Models on each provider, in turns, with what does not run told in its row."""

from __future__ import annotations

from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from assistant.bench import providers as bench
from assistant.bench.providers import ProviderRow, inputs_of, measure, networks
from assistant.cli.bench import app
from assistant.core.models.manifest import Library
from assistant.core.models.providers import PROVIDERS
from tests.core.models.test_session import library_with
from tests.support.handmade_onnx import adding_model

SHIPPED = ("intent", "ner", "reader", "generator", "wake")


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """No provider has failed in this process."""
    monkeypatch.setattr(PROVIDERS, "faults", {})


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return library_with(tmp_path, adding_model())


def test_every_shipped_network_has_a_row_for_the_cpu(tmp_path: Path) -> None:
    figures = measure(Library(tmp_path), runs=1, timed=1)
    assert figures.providers == ("cpu",)
    assert [(row.model, row.provider, row.fault) for row in figures.rows] == [
        (name, "cpu", "") for name in SHIPPED
    ]
    assert all(0 < (row.p50_ms or 0) <= (row.p95_ms or 0) for row in figures.rows)


def test_what_is_not_here_has_no_row(tmp_path: Path) -> None:
    names = {name for name, _ in networks(Library(tmp_path))}
    assert names == set(SHIPPED)
    assert "piper-ljspeech-medium" in Library(tmp_path).artefacts


def test_providers_take_turns_and_each_has_its_own_times(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "there", lambda: ("azure", "cpu"))
    # Each run takes a second longer than the one before it: azure's come first in each turn.
    moments = (n * (n - 1) / 4 for n in count())
    figures = measure(library, runs=3, timed=1, clock=partial(next, moments))
    assert figures.rows == (
        ProviderRow(model="adder", provider="azure", p50_ms=2000.0, p95_ms=2000.0),
        ProviderRow(model="adder", provider="cpu", p50_ms=3000.0, p95_ms=3000.0),
    )


@pytest.mark.filterwarnings("ignore:Specified provider")
def test_a_provider_that_does_not_load_is_a_row_with_the_reason(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "there", lambda: ("cuda", "cpu"))
    cuda, cpu = measure(library, runs=1, timed=1).rows
    assert (cuda.p50_ms, cuda.provider) == (None, "cuda")
    assert "could not load it" in cuda.fault
    assert cpu.p50_ms is not None
    assert not cpu.fault


@pytest.mark.filterwarnings("ignore:Specified provider")
def test_a_provider_that_did_not_load_is_not_tried_with_the_next_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "there", lambda: ("cuda", "cpu"))
    opened: list[object] = []
    real = bench.session_of_bytes

    def counted(*given: Any, providers: Any) -> Any:
        opened.append(providers)
        return real(*given, providers=providers)

    monkeypatch.setattr(bench, "session_of_bytes", counted)
    rows = measure(Library(tmp_path), runs=1, timed=1).rows
    assert [row.provider for row in rows if row.fault] == ["cuda"] * len(SHIPPED)
    assert opened.count(("cuda",)) == 1
    assert opened.count(()) == len(SHIPPED)


def test_a_model_that_fails_is_a_row_with_the_reason(tmp_path: Path) -> None:
    (row,) = measure(library_with(tmp_path, adding_model(), inputs='x = "float32[3]"'), 1).rows
    assert (row.p50_ms, row.fault[:15]) == (None, "the model fails")


def test_inputs_follow_the_interface(tmp_path: Path) -> None:
    library = Library(tmp_path)
    generator = inputs_of(library.artefact("generator"))
    assert generator["input_ids"].shape == (1, 14)
    assert generator["attention_mask"].all()
    assert generator["past_key_values.0.key"].shape == (1, 6, 50, 64)
    voice = inputs_of(library.artefact("piper-ljspeech-medium"))
    assert voice["input_lengths"].tolist() == [voice["input"].shape[1]]
    assert not inputs_of(library.artefact("reader"))["token_type_ids"].any()
    assert {array.dtype for array in generator.values()} == {np.dtype("int64"), np.dtype("float32")}


def test_the_command_says_where_there_is_no_other_provider(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assistant.cli.bench.Library", lambda _: library)
    done = CliRunner().invoke(app, ["providers", "--runs", "1"])
    assert "no other provider" in done.stdout
    assert "adder" in done.stdout
    done = CliRunner().invoke(app, ["providers", "--runs", "1", "--json"])
    assert done.stdout.startswith('{"providers":["cpu"],"rows":[{"model":"adder"')
