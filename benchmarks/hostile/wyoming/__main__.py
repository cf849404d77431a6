"""`python -m benchmarks.hostile.wyoming`: the frames' reader in this process."""

from __future__ import annotations

from benchmarks.hostile.wyoming.services import main

main()
