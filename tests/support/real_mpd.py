"""The real MPD, where it is installed, with a few seconds of silence for songs."""

from __future__ import annotations

import shutil
import socket
import struct
import subprocess
import time
from pathlib import Path

from tests.support.mpd import PATIENCE_S, Song
from tests.support.network import free_port

BINARY = shutil.which("mpd")
RATE_HZ = 8000
LASTS_S = 20
_TAGS = {"title": b"INAM", "artist": b"IART", "album": b"IPRD", "genre": b"IGNR"}
"""Tag → its chunk in a WAV file."""


class RealMpd:
    """A process of MPD on songs in a folder of its own; it plays them into nothing."""

    def __init__(self, folder: Path, songs: tuple[Song, ...], password: str = "") -> None:
        self.port = free_port()
        music, playlists = folder / "music", folder / "playlists"
        music.mkdir()
        playlists.mkdir()
        for number, song in enumerate(songs):
            (music / f"{number}.wav").write_bytes(_wav(song))
        (playlists / "Cooking.m3u").write_text("0.wav\n2.wav\n", "utf-8")
        self._settings = folder / "mpd.conf"
        proof = f'password "{password}@read,add,control,admin"\ndefault_permissions ""\n'
        self._settings.write_text(
            f'music_directory "{music}"\nplaylist_directory "{playlists}"\n'
            f'db_file "{folder}/database"\nbind_to_address "127.0.0.1"\nport "{self.port}"\n'
            f'log_file "{folder}/log"\nauto_update "yes"\n{proof if password else ""}'
            'audio_output {\n  type "null"\n  name "nothing"\n  mixer_type "software"\n}\n',
            "utf-8",
        )
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it; it answers when this returns."""
        assert BINARY is not None
        self._process = subprocess.Popen(
            [BINARY, "--no-daemon", str(self._settings)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline_s:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1.0).close()
            except OSError:
                time.sleep(0.05)
            else:
                return
        raise AssertionError("mpd does not start")

    def stop(self) -> None:
        """End it."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait()

    def close(self) -> None:
        """As `stop`."""
        self.stop()


def _wav(song: Song) -> bytes:
    """Silence with the tags of a song."""
    silence = bytes(2 * RATE_HZ * LASTS_S)
    told = b"".join(
        _chunk(_TAGS[tag], value.encode() + b"\0") for tag, value in song._asdict().items()
    )
    form = struct.pack("<HHIIHH", 1, 1, RATE_HZ, 2 * RATE_HZ, 2, 16)
    body = b"WAVE" + _chunk(b"fmt ", form) + _chunk(b"LIST", b"INFO" + told)
    return _chunk(b"RIFF", body + _chunk(b"data", silence))


def _chunk(name: bytes, content: bytes) -> bytes:
    return name + struct.pack("<I", len(content)) + content + bytes(len(content) % 2)
