"""Players: which one is meant when none is named, and what it is told."""

from __future__ import annotations

from collections.abc import Callable

from assistant.core.messages import DeviceChanged
from assistant.skill.home import Area, Home
from tests.support.house import attribute, replied, sent, thing
from tests.support.talking import Talk, command


def test_pause_means_what_plays_and_go_on_what_was_paused(house: Talk) -> None:
    assert house.ask("HassMediaPause") == "Shall I pause the tv?"
    assert house.state("media_player.tv") == "playing"
    assert house.say("yes") == "I paused the tv."
    assert house.state("media_player.tv") == "paused"
    assert house.ask("HassMediaUnpause", name="TV") == "I let the tv go on."
    assert house.state("media_player.tv") == "playing"


def test_what_plays_in_another_room_is_not_made_louder_unasked(house: Talk) -> None:
    house.ask("HassTurnOff", name="Radio")
    house.ask("HassTurnOff", name="Counter")
    question = "Shall I set the tv to 15 percent?"
    assert house.ask("HassSetVolume", volume_level=15) == question
    assert house.say("no") == "Okay, I left it as it is."
    assert house.ask("HassSetVolume", volume_level=15, name="TV") == "I set the tv to 15 percent."


def test_how_loud_is_said_of_the_rooms_player_that_was_spoken_of(house: Talk) -> None:
    house.ask("HassTurnOff", name="Radio")
    assert house.ask("HassSetVolume", volume_level=15) == "I set the radio to 15 percent."
    assert house.state("media_player.tv") == "playing"


def test_which_of_other_rooms_players_is_asked(talks: Callable[..., Talk]) -> None:
    players = [thing(f"media_player.{n}", n.title(), n, "playing", volume_level=0.5) for n in "ab"]
    areas = tuple(Area(name=n.title(), id=n) for n in "abc")
    talk = talks(home=Home(areas=areas, entities=tuple(players)), area="c")
    lower = command("AdjustDevice", level="volume", change="-")
    assert talk.say("not so loud", lower) == "Which media player: A or B?"
    assert talk.say("b") == "I set the b to 40 percent."
    assert attribute(talk, "media_player.a", "volume_level") == 0.5


def test_of_two_in_a_room_that_play_the_one_spoken_of_is_meant(talks: Callable[..., Talk]) -> None:
    players = [thing(f"media_player.{n}", n.title(), "a", "playing") for n in ("tv", "stereo")]
    home = Home(areas=(Area(name="A", id="a"),), entities=tuple(players))
    talk = talks(home=home, area="a", broker=True)
    talk.feed(DeviceChanged(device="broker", present=True))
    for name in ("tv", "stereo"):
        talk.ask("HassSetVolume", volume_level=15, name=name.title())
        (wish,) = sent(talk.hear("next", command("HassMediaNext")))
        assert wish.entity_id == f"media_player.{name}"


def test_the_speakers_room_comes_first(house: Talk) -> None:
    assert house.ask("HassMediaUnpause") == "I let the radio go on."


def test_pausing_is_taken_back(house: Talk) -> None:
    house.ask("HassMediaPause", area="Living Room")
    house.ask("Undo")
    assert house.state("media_player.tv") == "playing"


def test_skipping_is_a_command_and_no_state(bridged: Talk) -> None:
    messages = bridged.hear("next", command("HassMediaNext", name="TV"))
    (wish,) = sent(messages)
    assert (wish.entity_id, wish.state, wish.command) == ("media_player.tv", "", "next")
    reply = replied(messages)
    assert (reply.text, reply.acted) == ("I skipped to the next one on the tv.", True)
    assert bridged.ask("HassMediaPrevious", name="TV") == "I went back to the one before on the tv."
    assert bridged.ask("Undo") == "There is nothing that I can take back."


def test_without_the_broker_nothing_is_skipped(bridged: Talk) -> None:
    bridged.feed(DeviceChanged(device="broker", present=False))
    reply = replied(bridged.hear("next", command("HassMediaNext", name="TV")))
    assert (reply.text, reply.done, reply.acted) == ("I can't reach the tv now.", False, False)


def test_a_volume_that_is_not_known_goes_up_by_a_command(bridged: Talk) -> None:
    messages = bridged.hear("louder", command("HassSetVolumeRelative", volume_step="up"))
    (wish,) = sent(messages)
    assert (wish.entity_id, wish.command) == ("media_player.radio", "volume_up")


def test_a_room_without_a_player_is_told(house: Talk) -> None:
    told = house.ask("HassMediaPause", area="Bedroom")
    assert told == "I don't know of any media player in the bedroom."
