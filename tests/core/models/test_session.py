"""From a manifest and bytes to a session, and what is refused on the way."""

from __future__ import annotations

import hashlib
import tracemalloc
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.core.errors import ModelError
from assistant.core.models.manifest import SHIPPED, Library, load_manifest
from assistant.core.models.onnx import external_tensors
from assistant.core.models.session import (
    check_interface,
    open_session,
    run,
    run_all,
    session_of_bytes,
)
from tests.support.handmade_onnx import FLOAT, adding_model, argument, field, model, node, tensor

EXTERNAL = adding_model(
    field(1, 2)
    + field(2, 1)
    + field(8, "w")
    + field(13, field(1, "location") + field(2, "../../etc/passwd"))
    + field(14, 1)
)


def library_with(
    folder: Path,
    content: bytes,
    sha256: str = "",
    inputs: str = 'x = "float32[2]"',
    outputs: str = 'y = "float32[2]"',
) -> Library:
    sha256 = sha256 or hashlib.sha256(content).hexdigest()
    (folder / "adder").mkdir()
    (folder / "adder" / "model.onnx").write_bytes(content)
    (folder / "manifest.toml").write_text(
        f"""
        [adder]
        version = "1"
        kind = "intent"
        summary = "a test"
        licence = "CC0"
        source = "shipped"
        inputs = {{ {inputs} }}
        outputs = {{ {outputs} }}
        files = [{{ name = "model.onnx", sha256 = "{sha256}" }}]
        """
    )
    return Library(folder / "pulled", folder)


def test_a_checked_model_runs(tmp_path: Path) -> None:
    session = open_session(library_with(tmp_path, adding_model()), "adder", "model.onnx")
    (result,) = session.run(None, {"x": np.array([10, 20], np.float32)})
    assert np.asarray(result).tolist() == [11, 22]


def test_numbers_of_eight_bytes_are_known_too(tmp_path: Path) -> None:
    double, numbers = 11, "float64[2]"
    copying = node("Identity", ["x"], "y")
    content = model([copying], [], [argument("x", double, 2)], argument("y", double, 2))
    library = library_with(tmp_path, content, inputs=f'x = "{numbers}"', outputs=f'y = "{numbers}"')
    session = open_session(library, "adder", "model.onnx")
    assert run(session, {"x": np.array([0.1, 0.2])}).tolist() == [0.1, 0.2]


def test_another_output_is_told(tmp_path: Path) -> None:
    library = library_with(tmp_path, adding_model(), outputs='z = "float32[2]"')
    with pytest.raises(ModelError) as fault:
        open_session(library, "adder", "model.onnx")
    file = tmp_path / "adder" / "model.onnx"
    assert fault.value.message == f"{file}: its outputs are ['y'], not ['z']"


def test_a_size_that_is_no_number_may_be_any(tmp_path: Path) -> None:
    library = library_with(tmp_path, adding_model(), inputs='x = "float32[n]"')
    assert open_session(library, "adder", "model.onnx")


def test_idle_threads_do_not_spin(tmp_path: Path) -> None:
    session = open_session(library_with(tmp_path, adding_model()), "adder", "model.onnx", threads=2)
    options = session.get_session_options()
    assert options.intra_op_num_threads == 2
    assert options.get_session_config_entry("session.intra_op.allow_spinning") == "0"
    assert options.get_session_config_entry("session.inter_op.allow_spinning") == "0"


def test_of_a_model_that_was_loaded_no_second_copy_is_held() -> None:
    documentation, megabyte = 6, 1_000_000
    tracemalloc.start()
    try:
        session = session_of_bytes(adding_model() + field(documentation, bytes(5 * megabyte)))
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < megabyte
    assert not session.get_session_options().enable_cpu_mem_arena


@pytest.mark.parametrize(
    ("content", "sha256", "inputs", "code"),
    [
        (adding_model(), "0" * 64, 'x = "float32[2]"', "model.corrupt"),
        (EXTERNAL, "", 'x = "float32[2]"', "model.external_data"),
        (adding_model(), "", 'z = "float32[2]"', "model.interface"),
        (adding_model(), "", 'x = "int64[2]"', "model.interface"),
        (adding_model(), "", 'x = "float32[3]"', "model.interface"),
        (adding_model(), "", 'x = "float32[2, n]"', "model.interface"),
        (b"not a model", "", 'x = "float32[2]"', "model.not_onnx"),
        (b"", "", 'x = "float32[2]"', "model.unusable"),
        (adding_model()[:-9], "", 'x = "float32[2]"', "model.not_onnx"),
    ],
    ids=[
        "other hash",
        "external data",
        "other name",
        "other type",
        "other size",
        "other rank",
        "no ONNX",
        "empty",
        "truncated",
    ],
)
def test_what_is_not_the_model_is_refused_in_one_line(
    tmp_path: Path, content: bytes, sha256: str, inputs: str, code: str
) -> None:
    with pytest.raises(ModelError) as fault:
        open_session(library_with(tmp_path, content, sha256, inputs), "adder", "model.onnx")
    assert fault.value.code == code
    assert "\n" not in fault.value.message


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    library = library_with(tmp_path, adding_model())
    (tmp_path / "adder" / "model.onnx").unlink()
    with pytest.raises(ModelError, match="install the assistant again"):
        open_session(library, "adder", "model.onnx")


def test_external_data_is_found_in_attributes_and_subgraphs_too() -> None:
    assert list(external_tensors(adding_model(), "m")) == []
    assert list(external_tensors(EXTERNAL, "m")) == ["w"]
    tensor = field(8, "deep") + field(14, 1)
    inner = field(1, field(5, field(5, tensor)))
    branch = field(1, field(5, field(6, inner)))
    assert list(external_tensors(field(7, branch), "m")) == ["deep"]


@given(st.binary(max_size=200))
def test_any_bytes_are_either_walked_or_refused(content: bytes) -> None:
    with suppress(ModelError):
        list(external_tensors(content, "m"))


@pytest.mark.parametrize(
    "text", ["[x]\nversion = 1", "[[[", '[x]\nversion = "1"\nunknown = 2'], ids=str
)
def test_a_wrong_manifest_is_named(tmp_path: Path, text: str) -> None:
    file = tmp_path / "manifest.toml"
    file.write_text(text)
    with pytest.raises(ModelError, match=r"manifest\.toml"):
        load_manifest(file)


UNPINNED = {f"whisper-{size}" for size in ("base.en", "small.en", "tiny", "base", "small")}
"""Models that nobody could fetch here: their first pull is checked against the hub alone."""


def test_the_manifest_states_licence_hash_and_size_of_every_file() -> None:
    for name, artefact in load_manifest(SHIPPED / "manifest.toml").items():
        assert artefact.licence, name
        if artefact.source.startswith("export "):  # users make it, each a file of its own
            continue
        assert artefact.shipped or artefact.source.startswith("hf:"), name
        if name in UNPINNED:
            assert not any(file.sha256 or file.bytes for file in artefact.files), name
            continue
        assert artefact.shipped or len(artefact.revision) == 40, name
        for file in artefact.files:
            assert len(file.sha256) == 64, (name, file.name)
            assert file.bytes > 0, (name, file.name)


def test_every_shipped_model_is_what_the_manifest_says() -> None:
    library = Library(Path("/nonexistent"))
    for name, artefact in library.artefacts.items():
        if artefact.shipped:
            library.read(name)


def tensor_outside(name: str = "w") -> bytes:
    return field(8, name) + field(14, 1)


@pytest.mark.parametrize(
    "model",
    [
        field(7, field(5, tensor_outside())),
        field(7, field(15, field(1, tensor_outside()))),
        field(7, field(15, field(2, tensor_outside()))),
        field(7, field(1, field(5, field(5, tensor_outside())))),
        field(7, field(1, field(5, field(10, tensor_outside())))),
        field(7, field(1, field(5, field(11, field(5, tensor_outside()))))),
        field(7, field(1, field(5, field(22, field(1, tensor_outside()))))),
        field(7, field(1, field(5, field(23, field(2, tensor_outside()))))),
        field(20, field(1, field(5, tensor_outside()))),
        field(20, field(2, field(5, tensor_outside()))),
        field(25, field(7, field(5, field(5, tensor_outside())))),
        field(25, field(11, field(5, tensor_outside()))),
    ],
    ids=[
        "initializer",
        "sparse values",
        "sparse indices",
        "attribute",
        "attribute's list",
        "attribute's graphs",
        "sparse attribute",
        "sparse attribute's list",
        "training's start",
        "training's step",
        "function's node",
        "function's attribute",
    ],
)
def test_wherever_a_tensor_may_lie_it_is_found(model: bytes) -> None:
    assert list(external_tensors(model, "m")) == ["w"]


def test_a_tensor_is_outside_by_its_data_or_by_its_word_for_it() -> None:
    by_data = field(8, "a") + field(13, field(1, "location"))
    by_word = field(8, "b") + field(14, 1)
    inside = field(8, "c") + field(14, 0)
    odd = field(8, 7) + field(14, 1)
    unnamed = field(14, 1)
    graph = b"".join(field(5, tensor) for tensor in (by_data, inside, by_word, odd, unnamed))
    assert list(external_tensors(field(7, graph), "m")) == ["a", "b", "", ""]
    assert list(external_tensors(field(7, field(5, field(8, b"\xff") + field(14, 1))), "m")) == [
        "�"
    ]


def test_numbers_where_messages_belong_and_unknown_fields_are_passed_over() -> None:
    fixed = bytes([9 << 3 | 5]) + b"\x01" * 4 + bytes([9 << 3 | 1]) + b"\x02" * 8
    model = field(7, 3) + field(99, "unknown") + fixed + field(300, 2**63)
    assert list(external_tensors(model + field(7, field(5, tensor_outside())), "m")) == ["w"]


@pytest.mark.parametrize(
    "content",
    [
        field(9, "four")[:-1],
        bytes([9 << 3 | 5]) + b"\x01" * 3,
        bytes([9 << 3 | 1]) + b"\x01" * 7,
        bytes([9 << 3 | 3]),
        bytes([9 << 3 | 0]) + b"\xff" * 10 + b"\x01",
        b"\xff",
    ],
    ids=["short text", "short 32 bits", "short 64 bits", "a group", "long number", "no number"],
)
def test_what_ends_too_soon_or_means_nothing_is_no_onnx(content: bytes) -> None:
    with pytest.raises(ModelError, match="here is no ONNX file") as fault:
        list(external_tensors(content, "here"))
    assert fault.value.code == "model.not_onnx"


def test_a_number_may_have_ten_bytes() -> None:
    assert list(external_tensors(bytes([9 << 3]) + b"\xff" * 9 + b"\x01", "m")) == []


def test_one_nested_without_end_is_no_onnx() -> None:
    graph = b""
    for _ in range(2_000):
        graph = field(1, field(5, field(6, graph)))
    with pytest.raises(ModelError, match="no ONNX"):
        list(external_tensors(field(7, graph), "m"))


def test_one_output_is_asked_for_by_name_or_is_the_first(tmp_path: Path) -> None:
    session = open_session(library_with(tmp_path, adding_model()), "adder", "model.onnx")
    inputs = {"x": np.array([10, 20], np.float32)}
    assert run(session, inputs).tolist() == run(session, inputs, "y").tolist() == [11, 22]
    assert [made.tolist() for made in run_all(session, inputs)] == [[11, 22]]
    assert [made.tolist() for made in run_all(session, inputs, ["y", "y"])] == [[11, 22], [11, 22]]


def test_of_two_outputs_the_one_that_is_named_is_given() -> None:
    graph = field(1, node("Neg", ["y"], "z")) + field(12, argument("z", FLOAT, 2))
    session = session_of_bytes(adding_model() + field(7, graph))
    inputs = {"x": np.array([10, 20], np.float32)}
    assert run(session, inputs).tolist() == [11, 22]
    assert run(session, inputs, "z").tolist() == [-11, -22]


def test_one_thread_unless_more_are_asked_for_and_no_talk(tmp_path: Path) -> None:
    session = open_session(library_with(tmp_path, adding_model()), "adder", "model.onnx")
    options = session.get_session_options()
    assert (options.intra_op_num_threads, options.inter_op_num_threads) == (1, 1)
    assert options.log_severity_level == 3
    assert session.get_providers() == ["CPUExecutionProvider"]


def test_a_model_that_no_manifest_knows_is_named_as_its_caller_says() -> None:
    assert session_of_bytes(adding_model()).get_inputs()[0].name == "x"
    with pytest.raises(ModelError, match="the model is no ONNX file"):
        session_of_bytes(b"not a model")
    with pytest.raises(ModelError, match='bench: tensor "w" lies in another file') as fault:
        session_of_bytes(EXTERNAL, "bench")
    assert fault.value.code == "model.external_data"


def test_another_interface_is_told_with_both(tmp_path: Path) -> None:
    library = library_with(tmp_path, adding_model(), inputs='x = "int64[2, n]"')
    with pytest.raises(ModelError) as fault:
        open_session(library, "adder", "model.onnx")
    told = 'its input "x" is tensor(float) of shape [2], not int64[2, n]'
    assert fault.value.message.endswith(told)


@pytest.mark.parametrize(
    ("file", "refused"), [("model.onnx", True), ("weights.bin", False), ("other.onnx", True)]
)
def test_of_one_onnx_file_the_interface_is_checked(
    tmp_path: Path, file: str, refused: bool
) -> None:
    library = library_with(tmp_path, adding_model(), inputs='z = "float32[2]"')
    content = {file: adding_model(), "tokenizer.json": b"{}"}
    if refused:
        with pytest.raises(ModelError, match="its inputs are"):
            check_interface(library, "adder", content)
    else:
        check_interface(library, "adder", content)
    check_interface(library, "adder", {"a.onnx": b"", "b.onnx": b""})


def test_a_shape_that_the_model_does_not_tell_may_be_any(tmp_path: Path) -> None:
    shapeless = field(1, "x") + field(2, field(1, field(1, FLOAT)))
    adding = node("Add", ["x", "w"], "y")
    content = model([adding], [tensor("w", FLOAT, [1, 2])], [shapeless], argument("y", FLOAT, 2))
    session = open_session(library_with(tmp_path, content), "adder", "model.onnx")
    assert run(session, {"x": np.array([10, 20], np.float32)}).tolist() == [11, 22]


def test_a_model_that_no_manifest_knows_has_one_thread_unless_more_are_asked_for() -> None:
    for session, threads in (
        (session_of_bytes(adding_model()), 1),
        (session_of_bytes(adding_model(), threads=2), 2),
    ):
        assert session.get_session_options().intra_op_num_threads == threads


def test_a_model_that_fails_when_it_runs_is_told_in_one_line() -> None:
    session = session_of_bytes(adding_model())
    with pytest.raises(ModelError, match="the model fails: ") as fault:
        run(session, {"x": np.zeros((3, 3), np.float32)})
    assert fault.value.code == "model.unusable"
    assert "\n" not in fault.value.message
