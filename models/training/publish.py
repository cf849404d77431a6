"""Publishes a trained model: writes its files and its entry in the manifest."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from assistant.core.models.calibration import FILE as CALIBRATION
from models.training.config import MODELS
from models.training.tokens import LONGEST, tokenizer


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A model's entry in the manifest, without its files."""

    version: str
    kind: str
    summary: str
    licence: str
    inputs: Mapping[str, str]
    outputs: Mapping[str, str]


def tokenizer_file() -> bytes:
    """The tokenizer file that the assistant loads: it cuts at `LONGEST` pieces and does not pad."""
    made = tokenizer()
    made.enable_truncation(LONGEST)
    return made.to_str().encode()


def publish(name: str, entry: Entry, files: Mapping[str, bytes], models: Path = MODELS) -> None:
    """Write `files` to the model's folder and its entry to the manifest, over older ones.

    An existing calibration is kept, as the start for `models.training.calibrate`.
    """
    folder = models / name
    folder.mkdir(exist_ok=True)
    if (folder / CALIBRATION).exists():
        files = {**files, CALIBRATION: (folder / CALIBRATION).read_bytes()}
    for file, content in files.items():
        (folder / file).write_bytes(content)
    manifest = models / "manifest.toml"
    manifest.write_text(with_entry(manifest.read_text("utf-8"), name, entry, files), "utf-8")


def with_entry(manifest: str, name: str, entry: Entry, files: Mapping[str, bytes]) -> str:
    """The text of the manifest with this model's entry replaced, or added at its end."""
    section = re.compile(rf"^\[{re.escape(name)}\]\n(?:(?!\[).*\n)*", re.MULTILINE)
    made = _section(name, entry, files)
    if section.search(manifest):
        return section.sub(lambda _: made + "\n", manifest).rstrip("\n") + "\n"
    return manifest.rstrip("\n") + "\n\n" + made


def _section(name: str, entry: Entry, files: Mapping[str, bytes]) -> str:
    lines = [f"[{name}]"]
    for key in ("version", "kind", "summary", "licence"):
        lines.append(f"{key} = {json.dumps(getattr(entry, key), ensure_ascii=False)}")
    lines.append('source = "shipped"')
    for key in ("inputs", "outputs"):
        # A bare name with a dot would be a table in TOML.
        values = (
            f"{n if n.isidentifier() else json.dumps(n)} = {json.dumps(shape)}"
            for n, shape in getattr(entry, key).items()
        )
        lines.append(f"{key} = {{ {', '.join(values)} }}")
    lines.append("files = [")
    for file, content in files.items():
        sha256 = hashlib.sha256(content).hexdigest()
        lines.append(f'  {{ name = "{file}", bytes = {len(content)}, sha256 = "{sha256}" }},')
    return "\n".join([*lines, "]"]) + "\n"
