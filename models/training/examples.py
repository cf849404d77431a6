"""The examples that the intent head is fitted to on every device: our sentences, embedded.

`python -m models.training examples`, with the daemon's own packages: no torch is needed.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assistant.core.manifest import Library
from models.training.config import MODELS, SENTENCES
from models.training.markup import parse
from nlu.encoder import Encoder
from nlu.examples import Examples, Label, write_shipped
from nlu.guess import spoken
from nlu.normalize import canonical, wish

FILE = "examples.npz"
NOT_OBEYED = "negated"
"""The file of sentences that must cause no action, whatever their intent."""


def labelled(folder: Path = SENTENCES) -> Iterator[tuple[Label | None, str]]:
    """Every sentence, as the models are asked, with its label; None for what is out of scope."""
    for file in sorted(folder.glob("*.txt")):
        intent, fixed = "none", ""
        for line in file.read_text("utf-8").splitlines():
            if line.startswith("# intent:"):
                intent, fixed = line.removeprefix("# intent:").strip(), ""
            elif line.startswith("# fixed:"):
                fixed = line.removeprefix("# fixed:")
            elif line.strip() and not line.startswith("#"):
                outside = intent == "none" or file.stem == NOT_OBEYED
                text = spoken(wish(canonical(parse(line.strip()).text)))
                if text:
                    yield None if outside else Label(intent, _pairs(fixed)), text


def build(models: Path = MODELS) -> Path:
    """Embed the sentences with the shipped encoder and write them beside it."""
    listed = list(dict.fromkeys(labelled()))
    encoder = Encoder.load(Library(models, models), threads=2)
    embeddings = encoder.encode([text for _, text in listed])
    file = models / encoder.name / FILE
    write_shipped(file, Examples([label for label, _ in listed], embeddings))
    return file


def _pairs(fixed: str) -> tuple[tuple[str, str], ...]:
    pairs = (pair.partition("=") for pair in fixed.split(",") if pair.strip())
    return tuple(sorted((name.strip(), value.strip()) for name, _, value in pairs))
