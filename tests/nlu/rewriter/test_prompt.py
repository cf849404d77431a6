"""What the rewriter reads of a home, of a conversation and of its states."""

from __future__ import annotations

from datetime import datetime

from assistant.skill.home import Area, Entity, Home
from nlu.rewriter import prompt

HOME = Home(
    areas=(
        Area(name="Kitchen", id="kitchen", aliases=("galley",)),
        Area(name="Living Room", id="living"),
    ),
    entities=(
        Entity(name="Range", id="light.range", area="kitchen", aliases=("big one", "cooker", "x")),
        Entity(name="Floor Lamp", id="light.floor_lamp", area="living", state="on",
               attributes={"brightness": 51}),
        Entity(name="Bay", id="cover.bay", area="living", state="open",
               attributes={"device_class": "blind", "current_position": 40}),
        Entity(name="Back Door", id="lock.back", area="kitchen", state="locked"),
        Entity(name="Shopping", id="todo.shopping", state="3"),
        Entity(name="Damp", id="sensor.damp", area="kitchen", state="61",
               attributes={"device_class": "humidity"}),
    ),
)  # fmt: skip
AT = datetime(2028, 1, 17, 18, 5)


def test_the_names_stand_by_room_with_their_kinds_unless_they_say_so() -> None:
    assert prompt.names(HOME) == (
        "kitchen (galley): range (big one, cooker) light, back door lock, "
        "damp humidity sensor\n"
        "living room: floor lamp light, bay blind\n"
        "home: shopping list\n"
    )


def test_a_conversation_opens_with_the_room_and_the_time() -> None:
    assert prompt.opening("Kitchen", AT) == (
        "\nnew talk in the kitchen, monday 17 january, 6:05 pm\n"
    )
    assert prompt.opening("", AT) == "\nnew talk, monday 17 january, 6:05 pm\n"
    assert prompt.opening("", AT, "Range off").endswith("pm\nnow: range off\n")


def test_the_states_are_those_of_the_room_and_of_what_is_at_work_elsewhere() -> None:
    assert prompt.states(HOME, "kitchen") == (
        "Range unknown, Back Door locked, Damp 61, Floor Lamp on 20%, Bay open 40%"
    )
    assert prompt.states(HOME, "living") == "Floor Lamp on 20%, Bay open 40%"


def test_what_is_written_is_said_in_lower_case_on_one_line() -> None:
    assert prompt.question("Too BRIGHT") + prompt.answer("Set the Range to 20 percent") == (
        "said: too bright\nplain: set the range to 20 percent\n"
    )
