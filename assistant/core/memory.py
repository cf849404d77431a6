"""Memory that is no longer used, back to the system."""

from __future__ import annotations

import ctypes
import gc


def give_back_unused() -> None:
    """Free what loading left behind; the C library otherwise keeps it for itself.

    Where the C library is not glibc, it decides by itself.
    """
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
