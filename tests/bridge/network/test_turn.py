"""A turn of the daemon's skills in which one of them asks a server: what is said, and kept."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from assistant.composition import Composition
from assistant.core.config import load_config
from assistant.core.errors import SkillError
from assistant.core.failure import report_failure
from assistant.core.messages import Command, Commit, Interpretation, Message, SpokenReply
from audio.tts.apology import words_for
from skills.stage import SkillsStage
from skills.state import open_state
from tests.support.isolated_skills import written
from tests.support.network_bridge import Bridge
from tests.support.web_server import WebServer

KEY = "k3y0fTheCellar"
RECIPES = """
from assistant.skill import *

skill = Skill("recipes", api=1)

@skill.intent("Find", "find a recipe")
def find(context: Context) -> Reply:
    context.storage.set("last", "soup")
    return Reply(context.network.get("WEB/hello", secret="token").text)

@skill.intent("Last", "which was it", traits=Traits(asks=True))
def last(context: Context) -> Reply:
    return Reply(context.storage.get("last", str, "none"))
"""


@pytest.fixture
def web(things: ExitStack) -> WebServer:
    return things.enter_context(closing(WebServer()))


@pytest.fixture
def bridge(web: WebServer, things: ExitStack, tmp_path: Path) -> Bridge:
    secret = tmp_path / "secrets" / "recipes" / "token"
    secret.parent.mkdir(parents=True)
    secret.write_text(f'origin = "{web.origin}"\nauthorization = "Bearer {KEY}"\n')
    secret.chmod(0o600)
    permissions = (f"network:{web.origin}", "storage")
    folder = written(tmp_path, "recipes", RECIPES.replace("WEB", web.origin), permissions)
    more = (
        f'[skills]\nfolders = ["{folder}"]\n[network]\nsecrets = "{secret.parents[1]}"\n'
        f"[nlu]\nmodels = false\n"
    )
    return Bridge(tmp_path, permissions, things, more)


@pytest.fixture
def stage(bridge: Bridge, tmp_path: Path, things: ExitStack) -> Iterator[SkillsStage]:
    config, _ = load_config((bridge.settings,))
    database = things.enter_context(closing(open_state(tmp_path / "state.db")))
    composition = Composition(config, builtin=False)
    yield composition.skills(database)
    composition._host.close()


def turn(stage: SkillsStage, intent: str) -> list[Message]:
    command = Command(intent=intent, confidence=1.0, slots=())
    said = Interpretation(utterance_id=intent, revision=1, text="t", commands=(command,))
    return [*stage.feed(said), *stage.feed(Commit(utterance_id=intent, revision=1))]


def replies(messages: list[Message]) -> list[str]:
    return [message.text for message in messages if isinstance(message, SpokenReply)]


def test_the_answer_is_spoken_and_no_message_has_the_secret(
    stage: SkillsStage, web: WebServer
) -> None:
    messages = turn(stage, "Find")
    assert replies(messages) == ["hello"]
    assert web.asked == [("/hello", f"Bearer {KEY}", "")]
    assert KEY not in str(messages)
    assert replies(turn(stage, "Last")) == ["soup"]


def test_a_server_that_cannot_be_reached_is_told_and_nothing_of_the_turn_stays(
    stage: SkillsStage, bridge: Bridge
) -> None:
    bridge.process.kill()
    bridge.process.join()
    with pytest.raises(SkillError) as failed:
        turn(stage, "Find")
    words = words_for(report_failure("skills", failed.value))
    assert words == "Sorry, I can't reach the server of the skill recipes."
    assert replies(turn(stage, "Last")) == ["none"]
