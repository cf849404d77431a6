"""What the assistant's processes take of the machine, for Prometheus."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from assistant.control.exposition import family, labels
from assistant.control.procfs import Usage


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
