"""Embeds our sentences, which the intent head is fitted to on every device.

`python -m models.training examples` needs only the daemon's packages, not torch.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

from assistant.cli.demo import HOME
from assistant.composition import Composition
from assistant.core.config import Config, HomeSettings, StorageSettings
from assistant.core.errors import ModelError
from assistant.core.models.manifest import Library
from models.training.config import MODELS, NONE, NOT_OBEYED, SENTENCES
from models.training.markup import Sentence, parse
from nlu.classifier.encoder import MODEL as INTENT
from nlu.classifier.encoder import SentenceEncoder
from nlu.classifier.examples import Examples, IntentLabel, write_shipped
from nlu.fallback.guesser import spoken
from nlu.text.canonical import canonical, without_politeness

FILE = "examples.npz"
UP = ("up", "loud", "rais", "increas", "more", "boost", "crank", "high", "add")
DOWN = ("down", "quiet", "low", "soft", "less", "reduc", "decreas", "hush", "off", "drop")


def labelled(folder: Path = SENTENCES) -> Iterator[tuple[IntentLabel | None, str]]:
    """Every sentence as the models read it, with its label; None for one that is out of scope."""
    for file in sorted(folder.glob("*.txt")):
        intent, fixed = NONE, ""
        for line in file.read_text("utf-8").splitlines():
            if line.startswith("# intent:"):
                intent, fixed = line.removeprefix("# intent:").strip(), ""
            elif line.startswith("# fixed:"):
                fixed = line.removeprefix("# fixed:")
            elif line.strip() and not line.startswith("#"):
                sentence = parse(line.strip())
                outside = intent == NONE or file.stem == NOT_OBEYED
                text = spoken(without_politeness(canonical(sentence.text)))
                pairs = _pairs(f"{fixed},{_step(sentence)}")
                if text:
                    yield None if outside else IntentLabel(intent, pairs), text


def build(models: Path = MODELS) -> Path:
    """Embed the sentences with the shipped encoder, and write them beside it."""
    listed = list(dict.fromkeys(labelled()))
    encoder = SentenceEncoder.load(Library(models, models), threads=2)
    embeddings = encoder.encode([text for _, text in listed])
    file = models / encoder.name / FILE
    write_shipped(file, Examples([label for label, _ in listed], embeddings))
    manifest = models / "manifest.toml"
    manifest.write_text(with_file(manifest.read_text("utf-8"), encoder.name, file), "utf-8")
    return file


def build_head(models: Path = MODELS, home: Path = HOME) -> Path:
    """Fit the head to the built-in skills in a home, and write it beside the encoder."""
    with tempfile.TemporaryDirectory() as folder:
        storage = StorageSettings(state=folder, cache=folder)
        config = Config(storage=storage, home=HomeSettings(file=str(home)))
        model = Composition(config, library=Library(models, models)).understanding.intents
    if model is None:
        raise ModelError("model.unusable", f"{INTENT}: it cannot be loaded")
    file = models / INTENT / "head.npz"
    file.write_bytes(model.head.to_ship(model.version))
    return file


def with_file(manifest: str, name: str, file: Path) -> str:
    """The manifest's text with the entry of one file of a model updated."""
    content = file.read_bytes()
    sha256 = hashlib.sha256(content).hexdigest()
    line = f'  {{ name = "{file.name}", bytes = {len(content)}, sha256 = "{sha256}" }},\n'
    before, heading, section = manifest.partition(f"[{name}]\n")
    own, end, others = section.partition("\n]\n")
    kept = [kept for kept in own.splitlines() if f'"{file.name}"' not in kept]
    return before + heading + "\n".join(kept) + "\n" + line.rstrip("\n") + end + others


def _step(sentence: Sentence) -> str:
    """Direction of a relative volume: a fixed slot for the vocabulary, a word in our sentences."""
    steps = (sentence.text[s.start : s.end] for s in sentence.spans if s.label == "volume_step")
    words = " ".join(steps)
    if any(stem in words for stem in UP):
        return "volume_step=up"
    return "volume_step=down" if any(stem in words for stem in DOWN) else ""


def _pairs(fixed: str) -> tuple[tuple[str, str], ...]:
    pairs = (pair.partition("=") for pair in fixed.split(",") if pair.strip())
    return tuple(sorted((name.strip(), value.strip()) for name, _, value in pairs))
