"""A skill asks a server aloud: the daemon has no network, the bridge beside it asks, and what it
proves itself with is nowhere but there."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from tests.support.isolated_skills import written
from tests.support.network_bridge import EndableBridge
from tests.support.otlp import facts_of, parsed, spans_in
from tests.support.scenario import Do, Expect, Say, Spoken, quiet, tell
from tests.support.web_server import WebServer

pytestmark = pytest.mark.e2e

TRACES = "/v1/traces"
PATIENCE_S = 30.0
KEY = "k3y0fTheCellar"
RECIPES = """
from assistant.skill import *

skill = Skill("recipes", api=1, description="find recipes")

@skill.intent("FindRecipe", "find me a recipe")
def find(context: Context) -> Reply:
    return Reply(context.network.get("WEB/hello", secret="token").text)
"""


class Household:
    """A daemon, the server of its skill, and the bridge, which can be ended."""

    def __init__(self, folder: Path, things: ExitStack) -> None:
        self.web = things.enter_context(closing(WebServer()))
        self.collector = things.enter_context(closing(WebServer()))
        self.collector.pages[TRACES] = "{}"
        secret = folder / "secrets" / "recipes" / "token"
        secret.parent.mkdir(parents=True)
        secret.write_text(f'origin = "{self.web.origin}"\nauthorization = "Bearer {KEY}"\n')
        secret.chmod(0o600)
        permission = f"network:{self.web.origin}"
        skill = written(folder, "recipes", RECIPES.replace("WEB", self.web.origin), (permission,))
        settings = (
            f'[skills]\nfolders = ["{skill}"]\n[skills.grants]\nrecipes = ["{permission}"]\n'
            f'[network]\nsecrets = "{secret.parents[1]}"\n'
            '[log]\nlevel = "debug"\n[nlu]\nmodels = false\n'
            f'[traces]\nendpoint = "{self.collector.origin}{TRACES}"\n'
        )
        self.folder = folder / "daemon"
        self.folder.mkdir()
        self.daemon = things.enter_context(quiet(self.folder, settings))
        self.bridge_log = folder / "bridge.log"
        self.bridge = EndableBridge(self.daemon, self.bridge_log, things)


@pytest.fixture(scope="module")
def household(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Household]:
    with ExitStack() as things:
        yield Household(tmp_path_factory.mktemp("household"), things)


def test_what_a_server_answers_is_spoken_and_the_secret_is_nowhere(household: Household) -> None:
    daemon, web = household.daemon, household.web
    daemon.ask("record", "on", "--yes", "--json")
    tell(
        daemon,
        [Say("computer, find me a recipe"), Expect("Reply", {"text": "hello"}), Spoken()],
    )
    assert web.asked == [("/hello", f"Bearer {KEY}", "")]
    why = daemon.ask("why", "--json")
    daemon.forget()
    assert "find me a recipe" in str(why)
    _until_traced(household)
    files = [file for file in household.folder.rglob("*") if file.is_file()]
    assert any("recordings" in file.parts for file in files)
    kept = b"".join(file.read_bytes() for file in files)
    told = f"{daemon.seen} {why} {household.bridge_log.read_text()}"
    assert "recipes asked" in told
    assert KEY not in told
    assert KEY.encode() not in kept


def _until_traced(household: Household) -> None:
    """Wait for the trace of it, which the bridge forwards and which holds no word of it."""
    ends_s = time.monotonic() + PATIENCE_S
    while not household.collector.asked:
        assert time.monotonic() < ends_s, household.bridge_log.read_text()
        time.sleep(0.1)
    (path, _, body), *_ = household.collector.asked
    spans = {span.name: span for span in spans_in(parsed(body)).values()}
    assert path == TRACES
    assert facts_of(spans["utterance"])["hark.intent"] == "FindRecipe"
    assert spans.keys() >= {"recognition", "understanding", "skill", "playback"}
    assert "recipe " not in body
    assert "hello" not in body


def test_without_the_bridge_it_is_said_that_the_server_is_not_reached(
    household: Household,
) -> None:
    tell(
        household.daemon,
        [
            Do("end the bridge", household.bridge.end),
            Say("computer, find me a recipe"),
            Expect("StageFailed", {"code": "skill.unreachable", "part": "recipes"}),
            Expect("PlaybackEnded"),
        ],
    )
