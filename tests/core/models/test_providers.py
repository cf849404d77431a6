"""What a model runs on: what is wanted, what is there, and the CPU where that fails."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnxruntime.capi import onnxruntime_pybind11_state as ort
from onnxruntime.capi.onnxruntime_inference_collection import InferenceSession

from assistant.composition import Composition
from assistant.core.config import Config, load_config
from assistant.core.errors import ConfigError, ModelError
from assistant.core.layout import KEEP_SHARED
from assistant.core.models import session, shared
from assistant.core.models.providers import PROVIDERS, Providers, short
from assistant.core.models.session import Session, run, session_of_bytes, there
from audio.build import make_wake_word
from tests.core.models.test_shared import ROWS, a_table, looking_up
from tests.support.handmade_onnx import adding_model

AZURE = "azure"
"""The one provider beside the CPU in the wheel of PyPI: it loads, and leaves our nodes to the
CPU. No setting reaches it; these tests open it to see a real second provider."""
CUDA = "CUDAExecutionProvider"
X = {"x": np.array([10, 20], np.float32)}
Y = [11, 22]


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> Providers:
    """The choice of a process that has not chosen."""
    monkeypatch.setattr(PROVIDERS, "_wanted", ())
    monkeypatch.setattr(PROVIDERS, "faults", {})
    return PROVIDERS


def accelerated() -> Session:
    return session_of_bytes(adding_model(), providers=(AZURE,))


def failing(
    monkeypatch: pytest.MonkeyPatch, method: str, when: Callable[[Any], bool]
) -> list[object]:
    """Have what is accelerated fail in a method of onnxruntime; gives the calls that failed."""
    failed: list[object] = []
    real = getattr(InferenceSession, method)

    def failing_or_real(self: Any, *given: Any, **named: Any) -> Any:
        if when(named.get("providers") or self.get_providers()):
            failed.append(given)
            raise ort.Fail(
                "/onnxruntime_src/onnxruntime/core/cuda_call.cc:129 std::string call(Code, bool)"
                " CUDA error 2: out of memory\nat line 1"
            )
        return real(self, *given, **named)

    monkeypatch.setattr(InferenceSession, method, failing_or_real)
    return failed


@pytest.mark.parametrize(
    ("name", "known"),
    [("CUDAExecutionProvider", "cuda"), ("TensorrtExecutionProvider", "tensorrt"), ("cpu", "cpu")],
)
def test_a_provider_is_known_by_onnxruntime_s_name_and_by_a_short_one(
    name: str, known: str
) -> None:
    assert short(name) == known


def test_what_is_wanted_and_there_is_tried_in_that_order_up_to_the_cpu() -> None:
    chosen = Providers()
    assert chosen.usable(("cuda", "cpu")) == ()
    chosen.choose(("TensorRT", "CUDAExecutionProvider", "cpu", "xnnpack"))
    assert chosen.usable(("xnnpack", "cuda", "tensorrt", "cpu")) == ("tensorrt", "cuda")
    assert chosen.faults == {}


def test_what_is_not_there_is_told_once(caplog: pytest.LogCaptureFixture) -> None:
    chosen = Providers()
    chosen.choose(("cuda", "cpu"))
    for _ in range(3):
        assert chosen.usable(("cpu",)) == ()
    assert caplog.messages == [
        "models run on the CPU, not on cuda: the installed onnxruntime has only cpu"
        " (model.provider)"
    ]


def test_nothing_is_computed_on_somebody_s_servers() -> None:
    assert "AzureExecutionProvider" in ort.get_available_providers()
    chosen = Providers()
    chosen.choose((AZURE, "cpu"))
    assert chosen.usable((AZURE, "cpu")) == ()
    assert chosen.faults == {AZURE: "it computes on somebody's servers"}
    assert there() == ("cpu",)


def test_a_model_runs_on_the_cpu_unless_something_else_is_wanted() -> None:
    opened = session_of_bytes(adding_model())
    assert opened.get_providers() == ["CPUExecutionProvider"]
    assert (opened.runs_on, PROVIDERS.faults) == ("cpu", {})


def test_a_second_provider_comes_before_the_cpu() -> None:
    opened = accelerated()
    assert opened.get_providers() == ["AzureExecutionProvider", "CPUExecutionProvider"]
    assert run(opened, X).tolist() == Y
    assert (opened.runs_on, PROVIDERS.faults) == (AZURE, {})


@pytest.mark.filterwarnings("ignore:Specified provider")
def test_a_provider_whose_libraries_are_missing_leaves_the_model_to_the_cpu(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(session, "get_available_providers", lambda: [CUDA, "CPUExecutionProvider"])
    assert there() == ("cuda", "cpu")
    PROVIDERS.choose(("cuda",))
    for _ in range(2):
        opened = session_of_bytes(adding_model())
        assert (opened.runs_on, run(opened, X).tolist()) == ("cpu", Y)
    assert caplog.messages == [
        "models run on the CPU, not on cuda: onnxruntime could not load it; see docs/boards.md"
        " (model.provider)"
    ]


def test_a_provider_that_cannot_load_the_model_leaves_it_to_the_cpu(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    failed = failing(monkeypatch, "__init__", lambda names: len(names) > 1)
    opened = accelerated()
    assert (opened.runs_on, run(opened, X).tolist(), len(failed)) == ("cpu", Y, 1)
    assert PROVIDERS.faults == {AZURE: "CUDA error 2: out of memory"}


def test_a_provider_is_not_blamed_for_a_broken_model() -> None:
    with pytest.raises(ModelError, match="the model: "):
        session_of_bytes(b"", providers=(AZURE,))
    assert PROVIDERS.faults == {}


def test_a_provider_that_cannot_run_the_model_leaves_it_to_the_cpu(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    opened = accelerated()
    failed = failing(monkeypatch, "run", lambda names: len(names) > 1)
    for _ in range(3):
        assert run(opened, X).tolist() == Y
    assert (opened.runs_on, len(failed)) == ("cpu", 1)
    assert caplog.messages == [
        "models run on the CPU, not on azure: CUDA error 2: out of memory (model.provider)"
    ]


def test_a_provider_is_not_blamed_for_wrong_inputs() -> None:
    opened = accelerated()
    with pytest.raises(ModelError, match="the model fails"):
        run(opened, {"x": np.zeros(3, np.float32)})
    assert (opened.runs_on, PROVIDERS.faults) == (AZURE, {})
    assert run(opened, X).tolist() == Y


def test_in_a_fork_the_cpu_runs_what_was_opened_before_it() -> None:
    opened = accelerated()
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        told = f"{run(opened, X).tolist()} {opened.runs_on} {PROVIDERS.faults}"
        os.write(writes, told.encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reads, 1000).decode() == "[11.0, 22.0] cpu {}"
    os.close(reads)
    os.close(writes)
    assert (run(opened, X).tolist(), opened.runs_on) == (Y, AZURE)


def test_tables_in_the_cpu_s_memory_are_shared_on_the_cpu_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shared, "KEPT", [])
    model = looking_up(a_table(7), ROWS)
    shared.keep(model)
    assert session_of_bytes(model).tables
    assert not session_of_bytes(model, providers=(AZURE,)).tables


OPEN_SESSIONS = """
import gc
from assistant.core.models.session import InferenceSession, session_of_bytes
from assistant.supervision.zygote import load
from tests.support.handmade_onnx import adding_model
def sessions():
    return sum(isinstance(made, InferenceSession) for made in gc.get_objects())
load(("assistant.serving.processes", {keep!r}))
print(sessions())
kept = session_of_bytes(adding_model())
print(sessions())
"""


def test_the_zygote_opens_no_session_before_it_forks() -> None:
    told = subprocess.run(
        [sys.executable, "-c", OPEN_SESSIONS.format(keep=KEEP_SHARED)],
        capture_output=True,
        check=True,
        text=True,
    )
    assert told.stdout.split() == ["0", "1"]


def wanting(tmp_path: Path) -> Config:
    file = tmp_path / "config.toml"
    file.write_text(
        f'[storage]\nstate = "{tmp_path}/state"\ncache = "{tmp_path}/cache"\n'
        '[models]\nproviders = ["cuda", "cpu"]\n'
    )
    return load_config((file,))[0]


def test_what_the_settings_want_counts_for_every_process_that_opens_models(
    tmp_path: Path,
) -> None:
    config = wanting(tmp_path)
    Composition(config)
    assert PROVIDERS.usable(("cuda", "cpu")) == ("cuda",)
    PROVIDERS.choose(())
    make_wake_word(config).close()
    assert PROVIDERS.usable(("cuda", "cpu")) == ("cuda",)


def test_a_model_of_the_settings_runs_where_its_provider_is_missing(tmp_path: Path) -> None:
    composition = Composition(wanting(tmp_path))
    assert composition.answering.encoder.encode(["hello"]).shape == (1, 384)
    assert list(PROVIDERS.faults) == ["cuda"]


def test_a_provider_s_name_is_one_word(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text('[models]\nproviders = ["cuda cpu"]\n')
    with pytest.raises(ConfigError, match="models"):
        load_config((file,))
