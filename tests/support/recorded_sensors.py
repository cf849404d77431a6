"""Files of readings of a made-up machine."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from pathlib import Path

ROWS = 600
Cells = list[str]


def recording(
    file: Path,
    change: Callable[[int, Cells], Cells] = lambda row, cells: cells,
    separator: str = ";",
) -> Path:
    """Write `ROWS` rows of a pump, a second apart; `change` has the cells of each row."""
    noise = random.Random(3)
    lines = [separator.join(("datetime", "Hum RMS", "heat"))]
    for row in range(1, ROWS + 1):
        at = f"2020-02-08 13:{row // 60:02}:{row % 60:02}"
        hum, heat = 1 + noise.gauss(0, 0.05), 40 + math.sin(row / 40) + noise.gauss(0, 0.1)
        lines.append(separator.join(change(row, [at, f"{hum:.4f}", f"{heat:.4f}"])))
    file.write_text("\n".join(lines), "utf-8")
    return file


def spiking(row: int, cells: Cells) -> Cells:
    """Four rows in which the pump hums."""
    return [cells[0], "5.0", cells[2]] if 400 <= row < 404 else cells
