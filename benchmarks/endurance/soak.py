"""A day's utterances, back to back: `python -m benchmarks.endurance.soak`.

Some are spoken in flite's voices through a FIFO, with their replies played into a folder; the
others reach understanding as transcripts. The next speaker cuts the replies short. Now and then a
process is killed, settings are read again, or the broker goes away for a while; the next utterance
waits until that is repaired. Memory, open files and the time to each reply go into a journal.
Interrupted at any moment, the same command continues after the last utterance of the journal.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import msgspec

from assistant.bench.stages import HOME
from assistant.control.metrics import percentile
from assistant.control.procfs import tree
from assistant.core.messages import (
    SAMPLE_RATE_HZ,
    DeviceChanged,
    NothingHeard,
    PlaybackEnded,
    SpokenReply,
    Utterance,
    Woke,
)
from audio.frames import Samples, at_rate
from audio.tts.flite import PATIENCE_S, Flite
from benchmarks.endurance.daemon import Daemon, Ear
from benchmarks.endurance.growth import Growth, Look, growths, look
from benchmarks.endurance.journal import Journal

DAY = 4320
"""Number of utterances: one every twenty seconds."""
SPOKEN = 500
WARM = 200
"""Number of utterances after which a process may not grow."""
MOST_MB, MOST_S = 1.0, 2.0
LOOK_EVERY = 10
FAULT_EVERY = 160
REPLY_S = 10.0
MENDED_S = 60.0
PIPE_S = 2.0
"""Seconds of sound that a FIFO holds ahead of the listener."""
VOICES = ("slt", "rms", "awb", "kal16")
TEXTS = (
    "turn on the kitchen light",
    "what time is it",
    "set a timer for fifty minutes",
    "how long is left on the timer",
    "add milk to my shopping list",
    "how long does the guarantee of the dishwasher run",
    "set the bedroom light to forty percent",
    "is the kitchen light on",
    "turn off the kitchen light",
    "what can you do",
    "cancel all timers",
    "remove milk from my shopping list",
    "what is the date today",
    "who won the world cup in nineteen ninety eight",
    "turn off the lights in the bedroom",
    "when is the dentist",
    "tell me a joke about penguins",
    "turn on the lights in the bedroom and turn off the kitchen light",
    "never mind",
)
SPOKEN_TEXTS = (
    *("what time is it", "turn on the kitchen light", "turn off the kitchen light"),
    *("what is the date today", "set a timer for fifty minutes", "cancel all timers"),
)
"""Commands that are recognised well; over time they leave the state unchanged."""
DOCUMENTS = Path(__file__).resolve().parents[2] / "examples" / "documents"
SETTINGS = (
    '[home]\nfile = "{home}"\n[documents]\nfolders = ["{documents}"]\n'
    '[mqtt]\nhost = "127.0.0.1"\nport = {port}\n'
)
FAULTS = ("kill", "reload", "broker")


class Said(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """One utterance: `reply_s` is None when no reply came; `fault` is what happened before it, if
    any."""

    spoken: bool
    reply_s: float | None
    fault: str = ""


class Figures(msgspec.Struct, kw_only=True):
    """The result; `unheard` spoken ones did not wake it, or were not understood at all."""

    utterances: int
    spoken: int
    unheard: int
    unanswered: int
    faults: dict[str, int]
    reply_p50_s: float
    reply_p99_s: float
    reply_longest_s: float
    slow: int
    seconds_an_utterance: float
    growth: list[Growth]
    tracebacks: tuple[str, ...]

    @property
    def sound(self) -> bool:
        """Whether nothing grew, and no reply took too long."""
        grown = any(
            one.grown_mb - max(0.0, one.reload_mb) >= MOST_MB or one.files > 0
            for one in self.growth
        )
        return not (grown or self.slow or self.unanswered or self.tracebacks)


class Broker:
    """A broker that can go away and come back, and the bridge to it."""

    def __init__(self, folder: Path, port: int) -> None:
        self.port = port
        self._file = folder / "mosquitto.conf"
        self._file.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\n", "utf-8")
        self._processes: dict[str, subprocess.Popen[bytes]] = {}

    @property
    def bridge(self) -> int:
        """The bridge's process id."""
        return self._processes["bridge"].pid

    def start(self) -> None:
        """Start the broker."""
        self._run("broker", shutil.which("mosquitto") or "mosquitto", "-c", str(self._file))

    def join(self, config: Path) -> None:
        """Start the bridge."""
        self._run("bridge", sys.executable, "-m", "assistant", "bridge", "--config", str(config))

    def stop(self, *names: str) -> None:
        """End the broker, or whatever is named."""
        for name in names or ("broker",):
            if (process := self._processes.pop(name, None)) is not None:
                process.terminate()
                process.wait()

    def _run(self, name: str, *command: str) -> None:
        quiet = subprocess.DEVNULL
        self._processes[name] = subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet)


class Soak:
    """One sitting in `folder`; `spoken` of each `utterances` are spoken, `settings` are added."""

    def __init__(
        self,
        folder: Path,
        utterances: int = DAY,
        spoken: int = SPOKEN,
        settings: str = "",
        texts: Sequence[str] = TEXTS,
        warm: int = WARM,
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        home = folder / "home.yaml"
        home.write_text(HOME)
        self._broker = Broker(folder, _free_port())
        basic = SETTINGS.format(home=home, documents=DOCUMENTS, port=self._broker.port)
        self._daemon = Daemon(folder, basic + settings)
        self._utterances, self._spoken, self._warm = utterances, spoken, warm
        self._texts = texts
        self._journal: Journal[Said | Look] = Journal(folder / "journal.jsonl", Said | Look)
        self._lines = self._journal.lines
        wanted = (SpokenReply, Woke, Utterance, NothingHeard, PlaybackEnded, DeviceChanged)
        self._ear = Ear(self._daemon.runtime, wanted)
        self._replying = ""

    def run(self) -> Figures:
        """Continue until everything has been said, then judge."""
        self._broker.start()
        self._daemon.keep_up()
        self._daemon.await_ready()
        self._broker.join(self._daemon.config)
        self._await_broker(True)
        began_s, before = time.monotonic(), self._count()
        for number in range(before, self._utterances):
            fault = self._fault(number) if number % FAULT_EVERY == FAULT_EVERY - 1 else ""
            self._note(self._say(number, fault))
            if number % LOOK_EVERY == 0:
                self._look(number)
        seconds = time.monotonic() - began_s
        return self._figures(seconds / max(1, self._utterances - before))

    def close(self) -> None:
        """End everything."""
        self._ear.close()
        self._journal.close()
        self._broker.stop("bridge", "broker")
        self._daemon.stop()

    # ── what is said ────────────────────────────────────────────────────────────────────────

    def _say(self, number: int, fault: str) -> Said:
        before = number * self._spoken // self._utterances
        if (number + 1) * self._spoken // self._utterances > before:
            return Said(spoken=True, reply_s=self._speak(before), fault=fault)
        return Said(spoken=False, reply_s=self._inject(number), fault=fault)

    def _inject(self, number: int) -> float | None:
        """Have a transcript understood; gives the time to its reply.

        Without the cut, replies would be spoken for minutes after their questions: up to ten
        minutes of speech wait to be played, which is 19 MB.
        """
        self._ear.cut(self._replying)
        utterance_id = f"soak-{number}-{time.monotonic():.0f}"
        self._replying = utterance_id
        at_s = self._ear.say(utterance_id, self._texts[number % len(self._texts)])
        for message in self._ear.hear(time.monotonic() + REPLY_S):
            if isinstance(message, SpokenReply) and message.utterance_id == utterance_id:
                return message.at_s - at_s
        return None

    def _speak(self, number: int) -> float | None:
        """Speak a command aloud; gives the time from the end of speech to its reply.

        Returns after the reply has been played.
        """
        text = SPOKEN_TEXTS[number % len(SPOKEN_TEXTS)]
        sound = _spoken(f"computer, {text}", VOICES[number % len(VOICES)])
        with self._daemon.microphone.open("wb") as fifo:
            fifo.write(sound.tobytes())
        utterance_id, ended_s, reply_s = "", 0.0, None
        for message in self._ear.hear(time.monotonic() + PIPE_S + REPLY_S):
            match message:
                case Woke():
                    utterance_id = message.utterance_id
                case Utterance() if message.utterance_id == utterance_id:
                    ended_s = message.speech_ended_at_s
                case NothingHeard() if message.utterance_id == utterance_id:
                    return None
                case SpokenReply() if message.utterance_id == utterance_id:
                    reply_s = message.at_s - ended_s
                case PlaybackEnded() if message.utterance_id == utterance_id:
                    return reply_s
        return reply_s

    # ── what goes wrong ─────────────────────────────────────────────────────────────────────

    def _fault(self, number: int) -> str:
        """Cause a fault, and wait until it is repaired; gives what it was."""
        chance = random.Random(number)
        fault = FAULTS[number // FAULT_EVERY % len(FAULTS)]
        if fault == "kill":
            processes = self._daemon.processes()
            name = chance.choice(sorted(processes.keys() - {"supervisor", "zygote"}))
            os.kill(processes[name], signal.SIGKILL)
            fault = f"kill {name}"
            self._await_other(name, processes[name])
        elif fault == "reload":
            self._reload()
        else:
            self._broker.stop()
            self._await_broker(False)
            self._broker.start()
            self._await_broker(True)
        self._daemon.await_ready()
        self._flush()
        return fault

    def _await_other(self, name: str, pid: int) -> None:
        until_s = time.monotonic() + MENDED_S
        while self._daemon.processes().get(name, pid) == pid and time.monotonic() < until_s:
            time.sleep(0.05)

    def _reload(self) -> None:
        answers = self._daemon.control.follow("reload", MENDED_S)
        waited_for = set(next(answers)["stages"]) - {"control"}
        while waited_for:
            if (answer := next(answers))["type"] == "Reloaded":
                waited_for.discard(answer["stage"])

    def _await_broker(self, present: bool) -> None:
        for message in self._ear.hear(time.monotonic() + MENDED_S):
            match message:
                case DeviceChanged(device="broker", present=told) if told is present:
                    return

    def _flush(self) -> None:
        """Wait until the effects of the fault are over."""
        for _ in self._ear.hear(time.monotonic() + 1.0):
            pass

    # ── what is seen ────────────────────────────────────────────────────────────────────────

    def _look(self, number: int) -> None:
        processes = self._daemon.processes() | {"bridge": self._broker.bridge}
        # The server of the skills of others, then each of those, in the order of their start.
        others = tree(processes["skills"])[1:] if "skills" in processes else []
        processes |= {f"skills, child {n}": pid for n, pid in enumerate(others)}
        for name, pid in processes.items():
            if (seen := look(name, pid, number)) is not None:
                self._note(seen)

    def _note(self, line: Said | Look) -> None:
        self._journal.write(line)
        self._lines.append(line)

    def _count(self) -> int:
        return sum(isinstance(line, Said) for line in self._lines)

    def _figures(self, seconds_an_utterance: float) -> Figures:
        said = [line for line in self._lines if isinstance(line, Said)]
        looks = [line for line in self._lines if isinstance(line, Look)]
        took_s = [one.reply_s for one in said if one.reply_s is not None]
        unheard = sum(one.spoken and one.reply_s is None for one in said)
        faults = [one.fault for one in said if one.fault]
        reloads = [number for number, one in enumerate(said) if one.fault == "reload"]
        return Figures(
            utterances=len(said),
            spoken=sum(one.spoken for one in said),
            unheard=unheard,
            unanswered=len(said) - len(took_s) - unheard,
            faults={fault: faults.count(fault) for fault in sorted(set(faults))},
            reply_p50_s=round(percentile(took_s, 0.5), 3),
            reply_p99_s=round(percentile(took_s, 0.99), 3),
            reply_longest_s=round(max(took_s), 3),
            slow=sum(reply_s > MOST_S for reply_s in took_s),
            seconds_an_utterance=round(seconds_an_utterance, 2),
            growth=growths(looks, self._warm, reloads),
            tracebacks=self._daemon.tracebacks(),
        )


@cache
def _spoken(text: str, voice: str) -> Samples:
    speech = Flite(voice, PATIENCE_S).synthesise(text)
    return at_rate(speech.pcm, speech.rate_hz, SAMPLE_RATE_HZ)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def main() -> None:
    """Print the figures; exit status 1 when something grew or took too long."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--utterances", type=int, default=DAY)
    parser.add_argument("--spoken", type=int, default=SPOKEN)
    parser.add_argument("--folder", type=Path, default=Path("hark-soak"))
    given = parser.parse_args()
    soak = Soak(given.folder.resolve(), given.utterances, given.spoken)
    try:
        found = soak.run()
    finally:
        soak.close()
    print(json.dumps(msgspec.to_builtins(found)))  # noqa: T201
    sys.exit(0 if found.sound else 1)


if __name__ == "__main__":
    main()
