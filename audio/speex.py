"""SpeexDSP's echo canceller, from Debian's package libspeexdsp1.

An adaptive filter that slows its learning while a person talks too: J.-M. Valin, "On adjusting the
learning rate in frequency domain echo cancellation with double-talk", 2007.
"""

from __future__ import annotations

import ctypes
from functools import cache

from assistant.core.messages import SAMPLE_RATE_HZ
from audio.frames import FRAME_BYTES

LIBRARY = "libspeexdsp.so.1"
# A quarter of a second, in which most of a room's echo is over.
FILTER_SAMPLES = 4096
BLOCK_SAMPLES = 256
SET_SAMPLING_RATE = 24


class EchoCanceller:
    """Learns the acoustic path from the loudspeaker to the microphone while something is played.

    Raises `OSError` where SpeexDSP is not installed.
    """

    def __init__(self) -> None:
        self._speex = _library()
        self._state = self._speex.speex_echo_state_init(BLOCK_SAMPLES, FILTER_SAMPLES)
        rate = ctypes.c_int(SAMPLE_RATE_HZ)
        self._speex.speex_echo_ctl(self._state, SET_SAMPLING_RATE, ctypes.byref(rate))

    def cancel(self, heard: bytes, played: bytes) -> bytes:
        """The 512 samples `heard`, without the echo of what was `played` at the same time."""
        if not len(heard) == len(played) == FRAME_BYTES:
            raise ValueError(f"{len(heard)} and {len(played)} bytes are not a frame each")
        block = ctypes.create_string_buffer(BLOCK_SAMPLES * 2)
        cleaned = bytearray()
        for start in range(0, FRAME_BYTES, len(block)):
            end = start + len(block)
            self._speex.speex_echo_cancellation(
                self._state, heard[start:end], played[start:end], block
            )
            cleaned += block
        return bytes(cleaned)

    def __del__(self) -> None:
        if hasattr(self, "_state"):
            self._speex.speex_echo_state_destroy(self._state)


@cache
def _library() -> ctypes.CDLL:
    library = ctypes.CDLL(LIBRARY)
    pointer, buffer, number = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
    library.speex_echo_state_init.argtypes = (number, number)
    library.speex_echo_state_init.restype = pointer
    library.speex_echo_ctl.argtypes = (pointer, number, pointer)
    library.speex_echo_cancellation.argtypes = (pointer, buffer, buffer, buffer)
    library.speex_echo_cancellation.restype = None
    library.speex_echo_state_destroy.argtypes = (pointer,)
    library.speex_echo_state_destroy.restype = None
    return library
