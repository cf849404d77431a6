"""A new version of a model on a share of the hub's requests: who is asked, and how it ends.

The versions are those of a real model, checked as any; what understands tells which one it has.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections import Counter
from collections.abc import Mapping
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from assistant.core.messages import Interpretation, Transcript
from assistant.core.models.manifest import Library
from assistant.core.models.trial import FEWEST, Outcome, TrialSize
from assistant.core.models.trial_file import Trial
from assistant.hub.calls import StageError, interpret
from assistant.hub.ray.replica import MakeStage
from assistant.hub.rollout.choice import TrialStreams
from assistant.hub.rollout.record import HubTrialFile
from assistant.hub.rollout.rollout import Rollout
from assistant.hub.rollout.tally import ReplyTally
from assistant.hub.rollout.versions import Versions
from assistant.hub.tenants import Tenant
from assistant.model_files.acceptance import put_in_use
from assistant.model_files.pull import import_version
from assistant.pool.conversations import FRESH_S
from assistant.pool.pool import BusyError, ClosedError, PoolError
from assistant.pool.requests import PoolRequest
from assistant.pool.routing import RequestShape
from benchmarks.endurance.versions import nonsense, variant
from tests.support.versioned_stages import (
    BROKEN,
    MORTAL,
    WORSE,
    Reader,
    VersionedPool,
    readers,
)

SIZE = TrialSize(0.4, 2 * FEWEST + 40)
TENANTS = {"red": Tenant()}
UNSOUND = "unsound"


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with versions of the intent model, all alike but for one without any sense."""
    folder = tmp_path_factory.mktemp("versions")
    library = Library(folder / "models")
    made = variant("intent", folder / "made", 2)
    for version in ("2", "3", WORSE, BROKEN, MORTAL):
        import_version(library, "intent", made, version, lambda *_: None)
    import_version(library, "intent", nonsense("intent", folder / "bad"), UNSOUND, lambda *_: None)
    return library.pulled


@pytest.fixture
def models(imported: Path, tmp_path: Path) -> Path:
    """The same for one test."""
    return shutil.copytree(imported, tmp_path / "models", copy_function=os.link)


class Hub:
    """The pool, what renews it and what asks it."""

    def __init__(self, models: Path, size: TrialSize | None = SIZE) -> None:
        self.models, self.told, self.wishes = models, list[str](), 0
        self.file = HubTrialFile(models.parent / "trials.json")
        self.versions = Versions(models, self.file, size)
        self.pool = VersionedPool(readers(TENANTS, self.versions.pinned))
        self.rollout = Rollout(
            *(self.pool, readers, TENANTS, self.versions, self.told.append, self._wish)
        )
        self.streams, self._numbers = self.rollout.streams, count()
        self.rollout.attend()

    def restarted(self, size: TrialSize | None = SIZE) -> Hub:
        """Another one on the same disk, where all that this one wrote is by then."""
        self.file.all()
        return Hub(self.models, size)

    def _wish(self) -> None:
        self.wishes += 1

    def use(self, version: str) -> None:
        put_in_use(Library(self.models).choosing("intent", version), "intent")

    def try_out(self, version: str) -> None:
        """As `assistant models use` and SIGHUP do."""
        self.use(version)
        self.rollout.renew(TENANTS)
        self.rollout.attend()

    def say(self, text: str = "tell me the time", area: str = "") -> str:
        """The version that understands a text; "" where it is not understood."""
        said = Transcript(utterance_id=f"u{next(self._numbers)}", revision=0, text=text, area=area)
        meant = asyncio.run(interpret(self.streams, "red", said))
        return meant.commands[0].intent if meant.commands else ""

    def talk(self, most: int = 2 * SIZE.utterances) -> list[str]:
        """Who understands while somebody talks, until the trial is to end."""
        understood = []
        while not self.wishes and len(understood) < most:
            understood.append(self.say())
        return understood

    @property
    def trial(self) -> Trial:
        return self.file.all()[-1]

    @property
    def in_use(self) -> str:
        return Library(self.models).in_use("intent").version


@pytest.fixture
def hub(models: Path) -> Hub:
    return Hub(models)


def test_a_version_as_good_takes_a_share_and_then_all(hub: Hub) -> None:
    hub.try_out("2")
    assert hub.told == ["intent 2 works on 40% of the requests, beside 1"]
    assert hub.pool.updates == [("nlu",)]
    assert {name: hub.pool.version(name) for name in hub.pool.names} == {
        "nlu": "1",
        "nlu trial 1": "2",
    }
    by = Counter(hub.talk())
    assert by.total() == SIZE.utterances
    assert 0.25 < by["2"] / by.total() < 0.55
    assert hub.say() == "1"  # until it has taken effect
    hub.rollout.attend()
    assert hub.told[1].startswith("intent 2 takes all: 0 of its ")
    assert (hub.pool.names, hub.pool.version("nlu")) == ({"nlu"}, "2")
    assert hub.pool.updates == [("nlu",), ("nlu",)]
    assert (hub.in_use, hub.versions.pinned["intent"]) == ("2", "2")
    assert (hub.trial.outcome, hub.trial.stage) == (Outcome.TAKEN, "nlu")
    assert hub.trial.new.utterances + hub.trial.old.utterances == SIZE.utterances
    assert (hub.say(), hub.wishes) == ("2", 1)


def test_a_worse_version_goes_back_and_is_not_in_use_any_more(hub: Hub) -> None:
    hub.try_out(WORSE)
    assert hub.in_use == WORSE
    talked = hub.talk()
    assert len(talked) < SIZE.utterances
    assert "" in talked
    asked = len(hub.pool.asked)
    assert {hub.say() for _ in range(30)} == {"1"}
    assert set(hub.pool.asked[asked:]) == {"nlu"}
    hub.rollout.attend()
    assert hub.told[1].endswith("with the other 0 of " + hub.told[1].rsplit(" of ")[-1])
    assert hub.told[1].startswith("intent worse goes back: ")
    assert hub.told[1].endswith("; 1 is in use")
    assert (hub.pool.names, hub.in_use, hub.trial.outcome) == ({"nlu"}, "1", Outcome.BACK)
    assert {hub.say() for _ in range(30)} == {"1"}


@pytest.mark.parametrize(("version", "code"), [(BROKEN, "nlu.test"), (MORTAL, "pool.lost")])
def test_what_a_version_fails_on_the_other_one_answers_and_it_goes_back(
    hub: Hub, version: str, code: str
) -> None:
    hub.try_out(version)
    assert set(hub.talk()) == {"1"}
    hub.rollout.attend()
    told = f"intent {version} goes back: it failed: {code}; 1 is in use"
    assert hub.told[1:] == [told]
    assert (hub.pool.names, hub.in_use, hub.trial.outcome) == ({"nlu"}, "1", Outcome.BACK)


@pytest.mark.depth
def test_what_no_version_can_do_is_no_fault_of_the_new_one(hub: Hub) -> None:
    hub.try_out("2")
    for _ in range(20):
        with pytest.raises(StageError, match="it is none"):
            hub.say("no text")
    assert "nlu trial 1" in hub.pool.asked
    assert (hub.wishes, hub.trial.new.utterances, hub.trial.old.utterances) == (0, 0, 0)


@pytest.mark.depth
def test_where_its_workers_have_no_time_the_others_answer(hub: Hub) -> None:
    hub.try_out("2")
    hub.pool.busy.add("nlu trial 1")
    assert {hub.say() for _ in range(20)} == {"1"}
    assert hub.wishes == 0
    hub.pool.busy = {"nlu", "nlu trial 1"}
    with pytest.raises(BusyError):
        hub.say()


def test_a_conversation_stays_with_its_version(hub: Hub) -> None:
    hub.try_out("2")
    by = [{hub.say(area=f"room {room}") for _ in range(6)} for room in range(15)]
    assert {len(versions) for versions in by} == {1}
    assert set.union(*by) == {"1", "2"}
    assert {hub.say() for _ in range(30)} == {"1", "2"}  # the control: no room, no conversation


@pytest.mark.depth
def test_the_next_conversation_of_a_room_is_drawn_anew(hub: Hub) -> None:
    hub.try_out("2")
    on_trial = hub.streams.on_trial
    assert on_trial is not None

    def takes(number: int, at_s: float) -> bool:
        said = Transcript(utterance_id=f"w{number}", revision=0, text="hello", area="hall")
        shape = RequestShape(tokens=1, key="red/hall")
        return on_trial.takes(PoolRequest(messages=(said,), shape=shape), at_s)

    assert {takes(number, 2 * FRESH_S * number) for number in range(30)} == {True, False}
    first = takes(30, 10_000.0)
    assert {takes(31 + n, 10_000.0 + (FRESH_S - 1) * n) for n in range(30)} == {first}


def test_a_version_that_fails_its_canaries_gets_no_request(hub: Hub) -> None:
    hub.try_out(UNSOUND)
    (told,) = hub.told
    assert told.startswith("intent unsound goes back: ")
    assert (hub.pool.names, hub.streams.on_trial, hub.in_use) == ({"nlu"}, None, "1")
    assert (hub.trial.outcome, hub.trial.new.utterances) == (Outcome.BACK, 0)


@pytest.mark.depth
def test_one_whose_workers_do_not_start_goes_back(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(stage: str, make: MakeStage, share: float) -> str:
        raise PoolError("pool.start", "a stage does not start")

    monkeypatch.setattr(hub.pool, "beside", refuse)
    hub.try_out("2")
    assert hub.told == ["intent 2 goes back: a stage does not start; 1 is in use"]
    assert (hub.in_use, hub.say()) == ("1", "1")


@pytest.mark.depth
def test_one_with_which_there_is_no_stage_goes_back(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.use("2")
    hub.rollout.renew(TENANTS)
    monkeypatch.setattr(hub.rollout, "_alone", lambda *_: {})
    hub.rollout.attend()
    assert hub.told == ["intent 2 goes back: there is no nlu with it; 1 is in use"]
    assert (hub.in_use, hub.say()) == ("1", "1")


@pytest.mark.depth
def test_what_ends_after_an_interruption_counts_no_more(hub: Hub) -> None:
    hub.try_out("2")
    hub.talk(10)
    left = hub.streams.on_trial
    assert left is not None
    hub.rollout.renew(TENANTS)
    hub.rollout.attend()
    before = hub.trial
    late = Interpretation(utterance_id="late", revision=0, text="it took so long")
    left.count(ReplyTally(), late, 0.0, new=False)
    assert hub.trial == before
    now = hub.streams.on_trial
    assert now is not None
    now.count(ReplyTally(), late, 0.0, new=False)  # the control
    assert hub.trial != before


def test_without_a_share_all_workers_have_what_is_in_use(models: Path) -> None:
    hub = Hub(models, size=None)
    hub.try_out("2")
    assert (hub.told, hub.pool.names, hub.say()) == ([], {"nlu"}, "2")
    assert hub.file.all() == ()


@pytest.mark.depth
def test_a_trial_goes_on_while_all_workers_are_replaced(hub: Hub) -> None:
    hub.try_out("2")
    hub.talk(40)
    before = hub.trial
    hub.rollout.renew({**TENANTS, "blue": Tenant()})
    assert (hub.pool.names, hub.pool.version("nlu")) == ({"nlu"}, "1")
    assert {hub.say() for _ in range(20)} == {"1"}
    hub.rollout.attend()
    assert hub.pool.tenants == ("red", "blue")
    assert (hub.pool.version("nlu trial 2"), hub.trial) == ("2", before)
    hub.talk()
    assert hub.trial.new.utterances + hub.trial.old.utterances == SIZE.utterances


@pytest.mark.depth
def test_after_a_restart_the_trial_goes_on_with_its_counts(hub: Hub) -> None:
    hub.try_out("2")
    hub.talk(40)
    counted = hub.trial
    again = hub.restarted(TrialSize(0.1, 10_000))
    assert (again.trial, again.in_use) == (counted, "2")
    assert (again.pool.version("nlu"), again.pool.version("nlu trial 1")) == ("1", "2")
    assert len(again.talk()) == SIZE.utterances - 40
    again.rollout.attend()
    assert again.trial.outcome is Outcome.TAKEN


@pytest.mark.depth
@pytest.mark.parametrize("restarted", [False, True])
def test_where_another_version_is_put_in_use_the_trial_is_stopped_and_that_one_tried(
    hub: Hub, restarted: bool
) -> None:
    hub.try_out("2")
    hub.talk(40)
    if restarted:
        hub.use("3")
        hub = hub.restarted()
    else:
        hub.try_out("3")
    stopped, begun = hub.file.all()
    assert (stopped.version, stopped.outcome) == ("2", Outcome.STOPPED)
    assert stopped.old.utterances + stopped.new.utterances == 40
    assert (begun.version, begun.before, begun.outcome) == ("3", "1", Outcome.RUNNING)
    assert {hub.say() for _ in range(30)} == {"1", "3"}


@pytest.mark.depth
def test_one_that_is_put_in_use_by_hand_meanwhile_stays_so(hub: Hub) -> None:
    hub.try_out(WORSE)
    hub.talk()
    hub.use("3")
    hub.rollout.attend()
    assert (hub.trial.outcome, hub.in_use) == (Outcome.BACK, "3")


@pytest.mark.depth
def test_a_hub_that_tries_none_any_more_stops_what_it_tried(hub: Hub) -> None:
    hub.try_out("2")
    again = hub.restarted(size=None)
    assert (again.trial.outcome, again.trial.reason) == (
        Outcome.STOPPED,
        "the hub tries none any more",
    )
    assert (again.pool.names, again.say()) == ({"nlu"}, "2")


@pytest.mark.depth
def test_a_hub_that_ends_as_a_version_takes_all_decides_again_when_it_starts(hub: Hub) -> None:
    hub.try_out("2")
    hub.talk()
    hub.pool.has_closed = True
    with pytest.raises(SystemExit):
        hub.rollout.attend()
    assert (hub.trial.outcome, hub.in_use) == (Outcome.RUNNING, "2")
    again = hub.restarted()
    again.talk()
    again.rollout.attend()
    assert again.trial.outcome is Outcome.TAKEN


@pytest.mark.depth
def test_a_hub_that_ends_as_a_trial_begins_leaves_the_version_in_use(hub: Hub) -> None:
    hub.use("2")
    hub.rollout.renew(TENANTS)
    hub.pool.has_closed = True
    with pytest.raises(ClosedError):
        hub.rollout.attend()
    assert (hub.in_use, hub.file.all(), hub.told) == ("2", (), [])


@pytest.mark.depth
def test_where_the_workers_of_all_cannot_have_it_a_version_goes_back(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.try_out("2")
    hub.talk()

    def refuse(*_: object) -> None:
        raise PoolError("pool.start", "a stage does not start")

    monkeypatch.setattr(hub.pool, "update", refuse)
    hub.rollout.attend()
    assert hub.told[1:] == ["intent 2 goes back: a stage does not start; 1 is in use"]
    assert (hub.pool.names, hub.say(), hub.in_use) == ({"nlu"}, "1", "1")


@pytest.mark.depth
def test_a_generator_is_tried_by_answers_that_have_one_of_their_own(models: Path) -> None:
    library, made = Library(models), models.parent / "generator"
    shutil.copytree(library.version_folder("generator", "1"), made)
    import_version(library, "generator", made, "2", lambda *_: None)
    versions = Versions(models, HubTrialFile(models.parent / "trials.json"), SIZE)

    def asking(_: object, pinned: Mapping[str, str]) -> dict[str, MakeStage]:
        return {"answer": partial(_of, "asks"), "generator": partial(_of, pinned["generator"])}

    def alone(_: object, pinned: Mapping[str, str]) -> dict[str, MakeStage]:
        return {"answer": partial(_of, pinned["generator"])}

    pool, told, over = VersionedPool(asking({}, versions.pinned)), list[str](), list[int]()
    rollout = Rollout(
        *(pool, asking, TENANTS, versions, told.append, lambda: over.append(1)), alone=alone
    )
    put_in_use(library.choosing("generator", "2"), "generator")
    rollout.renew(TENANTS)
    rollout.attend()
    assert {name: pool.version(name) for name in pool.names} == {
        "answer": "asks",
        "generator": "1",
        "answer trial 1": "2",
    }
    said = set[str]()
    for number in range(2 * SIZE.utterances):
        asked = Transcript(utterance_id=f"u{number}", revision=0, text="tell me")
        said.add(asyncio.run(_intent(rollout.streams, PoolRequest(messages=(asked,)))))
        if over:
            break
    assert said == {"asks", "2"}
    rollout.attend()
    assert told[1].startswith("generator 2 takes all: ")
    assert pool.updates[-1] == ("generator",)
    assert {name: pool.version(name) for name in pool.names} == {
        "answer": "asks",
        "generator": "2",
    }


async def _intent(streams: TrialStreams, request: PoolRequest) -> str:
    async for message in streams.stream("answer", request):
        if isinstance(message, Interpretation):
            return message.commands[0].intent
    return ""


def _of(version: str, tenant: str) -> Reader:
    return Reader(version)
