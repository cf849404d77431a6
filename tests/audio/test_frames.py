"""Whatever comes in, frames of 512 samples come out, and none is lost."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st

from assistant.core.errors import InputError
from audio.frames import FRAME_BYTES, FRAME_SAMPLES, Framer, Reblock, Samples, at_rate, frames_of


@given(pieces=st.lists(st.binary(max_size=50)), size=st.integers(1, 40))
def test_reblocking_keeps_every_byte_in_order(pieces: list[bytes], size: int) -> None:
    reblock = Reblock(size)
    blocks = [block for piece in pieces for block in reblock.push(piece)] + [*reblock.flush()]
    whole = b"".join(pieces)
    assert all(len(block) == size for block in blocks)
    assert b"".join(blocks).startswith(whole)
    assert len(blocks) == -(-len(whole) // size)


@given(cuts=st.lists(st.integers(1, 3000), min_size=1, max_size=8))
def test_resampling_in_pieces_is_resampling_in_one_but_for_dither(cuts: list[int]) -> None:
    sound = (np.sin(np.arange(sum(cuts)) / 20) * 8000).astype(np.int16)
    pieces = np.split(sound, np.cumsum(cuts)[:-1])

    def framed(parts: list[Samples]) -> Samples:
        framer = Framer(44_100, 1)
        frames = [frame for part in parts for frame in framer.push(part)]
        frames += framer.push(np.zeros(0, np.int16), last=True)
        return np.frombuffer(b"".join(frames), np.int16)

    one, many = framed([sound]), framed(list(pieces))
    assert len(one) == len(many)
    assert not np.any(np.abs(one.astype(int) - many) > 2)


@pytest.mark.parametrize("rate_hz", [8_000, 16_000, 22_050, 44_100, 192_000])
@pytest.mark.parametrize("channels", [1, 2, 6])
@pytest.mark.parametrize("suffix", ["wav", "flac"])
def test_a_tone_of_any_rate_and_channel_count_keeps_its_pitch(
    tmp_path: Path, rate_hz: int, channels: int, suffix: str
) -> None:
    times_s = np.arange(rate_hz) / rate_hz
    tone = 0.5 * np.sin(2 * np.pi * 440 * times_s)
    soundfile.write(tmp_path / f"a.{suffix}", np.tile(tone[:, None], channels), rate_hz)

    frames = list(frames_of(tmp_path / f"a.{suffix}"))

    assert {len(frame) for frame in frames} == {FRAME_BYTES}
    heard = np.frombuffer(b"".join(frames), np.int16)
    assert len(heard) == -(-16_000 // FRAME_SAMPLES) * FRAME_SAMPLES
    assert np.argmax(np.abs(np.fft.rfft(heard[:16_000]))) == 440


def test_a_long_recording_is_read_piece_by_piece(tmp_path: Path) -> None:
    long = tmp_path / "long.flac"
    with soundfile.SoundFile(long, "w", 16_000, 1, subtype="PCM_16") as file:
        for _ in range(600):
            file.write(np.zeros(16_000, np.int16))
    assert sum(1 for _ in frames_of(long)) == 600 * 16_000 // FRAME_SAMPLES


def wave(channels: int, rate_hz: int, promised: int, there: int, kind: int = 1) -> bytes:
    form = struct.pack("<4sIHHIIHH", b"fmt ", 16, kind, channels, rate_hz, rate_hz * 2, 2, 16)
    body = b"WAVE" + form + struct.pack("<4sI", b"data", promised) + bytes(there)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def flac(tmp_path: Path) -> bytes:
    soundfile.write(
        tmp_path / "whole.flac", np.random.default_rng(1).normal(0, 0.1, 48_000), 16_000
    )
    return (tmp_path / "whole.flac").read_bytes()


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (None, "no such file"),
        (b"", "is empty"),
        (b"\x7fELF no sound at all" * 50, "is not audio"),
        (wave(0, 16_000, 64, 64), "has 0 channels"),
        (wave(1, 0, 64, 64), "at 0 Hz"),
        (wave(1, 16_000, 0, 0), "holds no sound"),
        (wave(1, 1, 64, 64), "at 1 Hz"),
        (wave(1, 2**31 - 1, 64, 64), "at 2147483647 Hz"),
        (wave(1_000, 16_000, 64_000, 64_000), "has 1000 channels"),
        (wave(1, 16_000, 64, 64, kind=0x55), "it holds MPEG"),
        (b"OggS" + bytes(100), "is not audio"),
        (b"ID3\x04" + bytes(100), "is not audio"),
        (wave(1, 16_000, 32_000, 1_000), "is truncated"),
    ],
)
def test_bad_files_are_refused_at_once_with_one_line(
    tmp_path: Path, content: bytes | None, complaint: str
) -> None:
    file = tmp_path / "a.wav"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(InputError) as refused:
        frames_of(file)
    assert complaint in refused.value.message
    assert refused.value.message.startswith(str(file))
    assert "\n" not in refused.value.message


def test_a_truncated_flac_is_no_short_one(tmp_path: Path) -> None:
    (tmp_path / "cut.flac").write_bytes(flac(tmp_path)[:40_000])
    with pytest.raises(InputError, match="truncated"):
        list(frames_of(tmp_path / "cut.flac"))


def test_a_wave_of_unknown_length_from_a_pipe_is_read(tmp_path: Path) -> None:
    (tmp_path / "pipe.wav").write_bytes(wave(1, 16_000, 0xFFFFFFFF, 2_048))
    assert len(list(frames_of(tmp_path / "pipe.wav"))) == 2


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="directory"):
        frames_of(tmp_path)


def test_samples_at_their_own_rate_stay_as_they_are() -> None:
    samples = np.arange(100, dtype=np.int16)
    assert at_rate(samples, 16_000, 16_000) is samples
    assert len(at_rate(samples, 16_000, 48_000)) == 300
