"""The models' sizes and what they use of the processor, for Prometheus and for who watches."""

from __future__ import annotations

from collections import Counter, defaultdict

from assistant.control.exposition import family, labels
from assistant.core.errors import ModelError
from assistant.core.messages import ModelsUsed
from assistant.core.models.manifest import Library

Version = tuple[str, str]
"""A model's name and its version."""


class ModelCounts:
    """What the models have used in all processes; it only grows, whichever of them restart."""

    def __init__(self) -> None:
        self.cpu_s = defaultdict[Version, float](float)
        """Seconds of processor time of each version."""
        self.runs = Counter[Version]()
        self._told: dict[str, ModelsUsed] = {}
        """Stage → the last that its process told."""

    def observe(self, used: ModelsUsed) -> None:
        """Add what a process has used since it told the last time."""
        before = self._told.get(used.stage)
        same = before.models if before is not None and before.began_s == used.began_s else ()
        counted = {(one.model, one.version): one for one in same}
        for one in used.models:
            version = (one.model, one.version)
            earlier = counted.get(version)
            self.cpu_s[version] += one.cpu_s - (earlier.cpu_s if earlier else 0.0)
            self.runs[version] += one.runs - (earlier.runs if earlier else 0)
        self._told[used.stage] = used

    def lines(self) -> list[str]:
        """The metrics; none where no model has run."""
        if not self.cpu_s:
            return []
        found = family("model_cpu_seconds_total", "counter", "Processor time, by model.")
        for (model, version), seconds in sorted(self.cpu_s.items()):
            told = labels(model=model, version=version)
            found.append(f"hark_model_cpu_seconds_total{told} {seconds:.3f}")
        found += family("model_runs_total", "counter", "How often each model was run.")
        for (model, version), runs in sorted(self.runs.items()):
            found.append(f"hark_model_runs_total{labels(model=model, version=version)} {runs}")
        return found


def model_lines(library: Library) -> list[str]:
    """The size of each model that is here, in the version in use; none without a sound manifest."""
    found = family("model_bytes", "gauge", "Bytes of a model's files, in the version in use.")
    try:
        for name in filter(library.present, library.artefacts):
            folder = library.folder(name)
            size = sum((folder / file.name).stat().st_size for file in library.artefact(name).files)
            told = labels(model=name, version=library.version(name))
            found.append(f"hark_model_bytes{told} {size}")
    except (ModelError, OSError):  # its stage reports it, or it is being replaced just now
        return []
    return found
