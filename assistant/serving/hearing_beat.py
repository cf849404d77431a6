"""When the process of microphone and loudspeaker counts as alive."""

from __future__ import annotations

from assistant.core.layout import MUTED
from assistant.supervision.heartbeat import Heartbeat
from audio.microphones.capture import Capture
from audio.playback import Playback


class HearingBeat:
    """Beats when sound has come in since the last beat, or when no microphone is there or open.

    It does not beat when the player has died: only a new process can speak again. Nor does it while
    muted, before every microphone is closed: only its end closes one whose driver hangs.
    """

    def __init__(self, heartbeat: Heartbeat, capture: Capture, playback: Playback) -> None:
        self._heartbeat, self._capture, self._playback = heartbeat, capture, playback
        self._frames = 0

    def beat(self) -> None:
        frames, self._frames = self._frames, self._capture.frames_total
        if not self._playback.alive:
            return
        there, wanted = self._capture.present, self._capture.microphones
        if self._capture.paused:
            if self._capture.is_closed:
                self._heartbeat.beat(detail=MUTED)
        elif self._capture.opening:
            self._heartbeat.reloading()
        elif not there:
            self._heartbeat.beat("degraded", "no microphone")
        elif self._frames == frames:
            return
        elif there < wanted:
            detail = f"{there} of {wanted} microphones: {self._capture.described}"
            self._heartbeat.beat("degraded", detail)
        else:
            self._heartbeat.beat(detail=self._capture.described)

    def reloading(self) -> None:
        self._heartbeat.reloading()
