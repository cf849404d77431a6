"""The last step of `assistant setup`: one command, typed or spoken, through the whole chain."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from assistant.cli.hear import Voice, in_silence
from assistant.cli.installation.asking import Asker, tell
from assistant.cli.shared.conversation import Timings, temporary_config
from assistant.cli.shared.conversation import tell as tell_exchange
from assistant.cli.shared.output import console
from assistant.composition import Composition
from assistant.core.clock import boottime_s
from assistant.core.config import Config
from assistant.core.errors import AudioError
from assistant.core.messages import Message
from assistant.core.stage import Stage
from assistant.pipeline import run, typed
from assistant.setup.home_file import home_text
from assistant.skill.home import Home
from audio.frames import FRAME_BYTES, Reblock
from audio.wake.own.recorder import ExampleRecorder
from nlu.stage import NluStage
from skills.state import open_state

SPEAK = "speak"
"""What is typed in order to speak."""
_EXAMPLES = {"light": "turn on the {}", "switch": "turn on the {}", "cover": "close the {}"}
_EXAMPLE = "what can you do"


def try_command(asker: Asker, file: Path, say: str | None, described: Home | None) -> None:
    """Run a command, typed or spoken, through the whole chain, and show what is understood.

    A home that was `described` stands in for that of the settings.
    """
    if say is None and not asker.asks:
        return
    asker.head("A command")
    with TemporaryDirectory() as folder:
        home_file = None
        if described is not None:
            home_file = Path(folder) / "home.yaml"
            home_file.write_text(home_text(described), "utf-8")
        settings = temporary_config(None, home_file, file if file.exists() else None)
        _try(asker, settings, say)


def _try(asker: Asker, settings: Config, say: str | None) -> None:
    with console.status("One moment: the sentences are learnt …"):
        composition = Composition(settings)
        understanding = composition.nlu()
    while True:
        text = say or asker.text('Type one, or "speak" to say it', _example(composition.home))
        if _understood(text, composition, understanding, settings):
            tell("Understood. Now start it: assistant run, or the service:")
            tell("sudo systemctl restart assistant assistant-bridge")
            return
        if say or not asker.yes("That was no command that I know. Another?"):
            return


def _understood(
    text: str, composition: Composition, understanding: NluStage, settings: Config
) -> bool:
    """Whether a command, on fresh state and without devices, is understood; it is shown."""
    timings = Timings()
    with closing(open_state(None)) as state:
        skills, answer = composition.skills(state), composition.answer()
        stages: tuple[Stage, ...] = (understanding, skills, answer)
        heard: Sequence[Message] = ()
        if text == SPEAK:
            stages = (composition.listener(wake=False), composition.asr(), *stages, Voice())
            said = _spoken(settings)
        else:
            heard = said = typed("setup", text, boottime_s())
        messages = [*heard, *run(stages, said, timings.observe)]
    return bool(tell_exchange(text, messages, timings, as_lines=False).commands)


def _example(home: Home) -> str:
    """A command that can be given in this home."""
    for entity in home.entities:
        if entity.domain in _EXAMPLES:
            return _EXAMPLES[entity.domain].format(entity.name.casefold())
    return _EXAMPLE


def _spoken(settings: Config) -> Sequence[Message]:
    try:
        with ExampleRecorder(settings.audio.inputs[:1], settings.listening) as recorder:
            tell("Say it now, without the wake word.")
            samples = recorder.record()
    except AudioError as error:
        tell(error.message)
        return ()
    blocks = Reblock(FRAME_BYTES)
    return list(in_silence([*blocks.push(samples.tobytes()), *blocks.flush()]))
