"""What the assistant's processes and models take of the machine, for Prometheus."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from assistant.control.exposition import family, labels
from assistant.control.procfs import Usage
from assistant.core.errors import ModelError
from assistant.core.models.manifest import Library


def process_lines(processes: Iterable[Usage]) -> list[str]:
    """The metrics; processes of one name count together, as those that a stage has forked."""
    cpu_s, memory = defaultdict[str, float](float), Counter[str]()
    for one in processes:
        cpu_s[one.name] += one.cpu_s
        memory[one.name] += one.pss_bytes
    text = "Processor time, by process, since it was started."
    found = family("process_cpu_seconds_total", "counter", text)
    found += [
        f"hark_process_cpu_seconds_total{labels(process=name)} {seconds:.2f}"
        for name, seconds in sorted(cpu_s.items())
    ]
    text = "Memory, by process; what several share counts in parts (PSS)."
    found += family("process_memory_bytes", "gauge", text)
    found += [
        f"hark_process_memory_bytes{labels(process=name)} {size}"
        for name, size in sorted(memory.items())
    ]
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
