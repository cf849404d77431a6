"""The daemon with a supervisor that never gives up.

Run `python -m benchmarks.endurance.untiring CONFIG PARENT`.

However often its processes are ended, safe mode does not give them up. It lives as long as the
process PARENT does.
"""

from __future__ import annotations

import sys
from pathlib import Path

from assistant.core.fork import die_with_parent
from assistant.supervision import daemon
from assistant.supervision.process import Patience

UNTIRING = Patience(backoff_s=(0.1,), failures=1_000_000)

if __name__ == "__main__":
    config, parent = sys.argv[1:]
    die_with_parent(int(parent))
    sys.exit(daemon.run(Path(config), single=False, patience=UNTIRING))
