"""A hub hears and answers, while the daemon itself has no network and goes on without the hub."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from assistant.answer.answerer import NOTHING_FOUND
from assistant.core.traces.ids import trace_id_of
from tests.support.network_bridge import EndableBridge
from tests.support.scenario import Do, Expect, Say, Spoken, quiet, tell
from tests.support.stand_in_hub import KEY, WORDS, StandInHub

pytestmark = pytest.mark.e2e


@pytest.fixture
def things() -> Iterator[ExitStack]:
    with ExitStack() as opened:
        yield opened


def test_what_only_the_hub_knows_is_spoken_and_without_it_the_device_goes_on(
    things: ExitStack, tmp_path: Path
) -> None:
    hub = things.enter_context(closing(StandInHub()))
    key, folder = tmp_path / "key", tmp_path / "daemon"
    key.write_text(KEY)
    key.chmod(0o600)
    folder.mkdir()
    settings = (
        f'[hub]\nurl = "{hub.url}"\nkey_file = "{key}"\nhears = "all"\n[nlu]\nmodels = false\n'
    )
    daemon = things.enter_context(quiet(folder, settings))
    bridge = EndableBridge(daemon, tmp_path / "bridge.log", things)
    tell(
        daemon,
        [
            Say(f"computer, {WORDS}"),
            Expect("Transcript", {"text": WORDS, "engine": "hub"}),
            Expect("Reply", {"text": "In the larder."}),
            Spoken(),
        ],
    )
    assert [path for path, _ in hub.asked] == ["/v1/hear?intents=false", "/v1/answer"]
    said = trace_id_of(daemon.last("Transcript")["utterance_id"])
    assert [trace.split("-")[1] for trace in hub.traces] == [said, said]
    time = [
        Say("computer, what time is it"),
        Expect("Transcript", {"text": "what time is it", "engine": "pocketsphinx"}),
        Expect("Reply", {"done": True}),
        Spoken(),
    ]
    hub.how = "silent"
    tell(daemon, time)
    tell(daemon, [Do("the bridge ends", bridge.end), *time])
    said = daemon.objects("say", WORDS, "--json")
    assert any(one.get("text") == NOTHING_FOUND for one in said), said
