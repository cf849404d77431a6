"""Detectors of a group of sensors on labelled recordings of a machine, in one table of one run.

    python -m benchmarks.sensors.detectors ../shared/data/sensors/skab

It needs `pip install torch==2.13.0 lightgbm river`, which the program itself does not. As in
`assistant eval sensors`, a file's first 400 rows are learnt, and the others judged:

- what ships: each sensor by itself, and T² with Q of the group, with the limits that ship;
- the same scores with a threshold that is chosen as those of the others are;
- half-space trees of the learnt rows;
- LightGBM on the windows' embedding by a small encoder, which is trained first;
- the larger of what ships and LightGBM, each score by how rare it is while all is well.

Encoder and classifier are trained on made-up recordings (`made_up.py`), the encoder on the learning
parts of NAB's files, too, where a folder `nab` stands beside that of the recordings. Thresholds are
those with the largest F1 on other made-up recordings, which is the last column but one. No judged
file takes part in any of it. The last column is the largest F1 that any threshold would have had on
the judged files: what is between the two is lost by the threshold, the rest by the scores.
"""

from __future__ import annotations

import argparse
import logging
import sys
from importlib.util import find_spec
from pathlib import Path

from assistant.core.errors import InputError

NEEDED = ("torch", "lightgbm", "river")


def missing() -> str:
    """The packages that are needed and not there, with blanks between."""
    return " ".join(name for name in NEEDED if find_spec(name) is None)


def main() -> None:
    """Train, judge, and print the table; end with one line where that cannot be."""
    parser = argparse.ArgumentParser(description="Compare detectors on a machine's recordings.")
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    if lacking := missing():
        sys.exit(f"missing packages: {lacking}; pip install torch==2.13.0 lightgbm river")
    from benchmarks.sensors.detectors.contest import contest

    try:
        rows = list(contest(folder))
    except InputError as error:
        sys.exit(str(error))
    sys.stdout.write("".join(f"| {' | '.join(row)} |\n" for row in rows))


if __name__ == "__main__":
    main()
