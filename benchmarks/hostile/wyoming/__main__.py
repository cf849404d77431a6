"""`python -m benchmarks.hostile.wyoming`: a role alone, or the frames' reader."""

from __future__ import annotations

from benchmarks.hostile.wyoming.alone import main

main()
