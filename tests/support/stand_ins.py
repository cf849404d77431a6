"""Stand-in skills and a small home: what the templates of these tests are compiled from."""

from __future__ import annotations

from assistant.skill.home import Area, Entity, Home
from assistant.skill.manifest import IntentSchema, SkillManifest, SlotSchema, Traits

HOME = Home(
    areas=(
        Area(name="Kitchen", id="kitchen"),
        Area(name="Living Room", id="living_room", aliases=("lounge",)),
        Area(name="Bedroom", id="bedroom"),
        Area(name="Study", id="study"),
        Area(name="Garage", id="garage"),
    ),
    entities=(
        Entity(name="Ceiling Light", id="light.ceiling", area="kitchen"),
        Entity(name="Reading Lamp", id="light.reading", area="bedroom", aliases=("book light",)),
        Entity(name="Study Light", id="light.study", area="study"),
        Entity(name="Fairy Lights", id="light.fairy", area="living_room"),
        Entity(name="Porch Light", id="light.porch"),
        Entity(name="Floor Lamp 2", id="light.floor_2", area="living_room"),
        Entity(name="Coffee Machine", id="switch.coffee", area="kitchen"),
        Entity(name="Fan", id="switch.fan", area="bedroom"),
        Entity(name="Heated Blanket", id="switch.blanket", area="bedroom"),
        Entity(name="TV", id="media_player.tv", area="living_room"),
        Entity(name="SoundBar", id="media_player.soundbar", area="living_room"),
        Entity(name="Back Door", id="lock.back_door"),
        Entity(name="Roller Shutter", id="cover.shutter", area="study"),
        Entity(name="Garage Gate", id="cover.gate", area="garage"),
        Entity(name="Groceries", id="todo.groceries"),
    ),
)

AREA = SlotSchema(name="area", kind="area", required=False)
DURATION = SlotSchema(name="duration", kind="duration", prompt="For how long?")
TIMER_NAME = SlotSchema(name="name", kind="text", required=False)
LIGHT = {"domain": "light"}
SWITCHES = Traits(needs_slot=True, placed=True, of_all=True)


def entity(*domains: str, required: bool = True) -> SlotSchema:
    return SlotSchema(name="name", kind="entity", domains=domains, required=required)


def intent(
    name: str,
    *sentences: str,
    slots: tuple[SlotSchema, ...] = (),
    traits: Traits | None = None,
    **fixed: str,
) -> IntentSchema:
    if traits is None:
        traits = SWITCHES if name in ("HassTurnOn", "HassTurnOff") else Traits()
        traits = Traits(thing="timer") if name.endswith("Timer") else traits
    return IntentSchema(intent=name, sentences=sentences, slots=slots, fixed=fixed, traits=traits)


CLOCK = SkillManifest(
    name="clock",
    api=1,
    intents=(
        intent(
            "HassGetCurrentTime",
            "what time is it [now|right now]",
            "what's the [current] time [now]",
            "tell me [what] the time [is]",
            "[do you] (have|know) [what] the time [is]",
            "time",
        ),
        intent(
            "HassGetCurrentDate",
            "what('s| is) [the|today's] (date|day) [today|is it [today]]",
            "what (day|date) is (it|today) [today]",
            "what is the date today",
        ),
    ),
)

TIMER = SkillManifest(
    name="timer",
    api=1,
    rules={"timer": "[a|the|my|another] [new] timer", "left": "(left|remaining)"},
    intents=(
        intent(
            "HassStartTimer",
            "(set|start|create|make|give me) <timer> for {duration}",
            "(set|start|create) [a|an|the|my] {duration} timer",
            "timer [for] {duration}",
            "{duration} timer",
            "count down [from] {duration}",
            slots=(DURATION,),
        ),
        intent(
            "HassStartTimer",
            "(set|start|create) [a|an|the] {name} timer for {duration}",
            "(set|start|create) [a|the] timer for {duration} (called|named) {name}",
            "(set|start|create) [a|the] [timer] (called|named) {name} for {duration}",
            "(set|start|create) [a|an|the] {duration} timer (for|called|named) {name}",
            slots=(DURATION, TIMER_NAME),
        ),
        intent("HassStartTimer", "(set|start|create) [a] timer", slots=(DURATION,)),
        intent(
            "HassTimerStatus",
            "how (much time|long) [is] <left> [on [the|my] {name} timer]",
            "how (much time|long) [is] <left> [on [the|my] timer]",
            "how much longer [on [the|my] timer]",
            "(status of (the|my|all [the|my]) timer[s]|timer[s] status)",
            slots=(TIMER_NAME,),
        ),
        intent(
            "HassCancelTimer",
            "(cancel|stop|delete|turn off) [the|my] timer",
            "(cancel|stop|delete) [the|my] {name} timer",
            "(cancel|stop|delete) [the|my] {duration} timer",
            slots=(TIMER_NAME, SlotSchema(name="duration", kind="duration", required=False)),
        ),
        intent("HassCancelAllTimers", "(cancel|stop|delete) all [of] [the|my] timers"),
        intent("HassPauseTimer", "pause [the|my] timer"),
        intent("HassUnpauseTimer", "(resume|continue|unpause) [the|my] timer"),
        intent(
            "HassIncreaseTimer",
            "add {duration} to [the|my] timer",
            slots=(DURATION,),
        ),
    ),
)

LIGHTS = SkillManifest(
    name="lights",
    api=1,
    rules={
        "level": "{0..100:brightness} [percent]",
        "all": "(all|every|all of)",
        "lights": "(light|lights|lamp|lamps)",
    },
    intents=(
        intent(
            "HassTurnOn",
            "(turn|switch) on {name} [in {area}]",
            "(turn|switch) {name} on [in {area}]",
            "turn {name} in {area} on",
            slots=(entity("light", "switch", "media_player"), AREA),
        ),
        intent(
            "HassTurnOn",
            "(turn|switch) on [<all>] [the] <lights> [(in|of) {area}]",
            "(turn|switch) [<all>] [the] <lights> on [in {area}]",
            "(turn|switch) on [<all>] [the] {area} <lights>",
            "(turn|switch) [the] {area} <lights> on",
            "lights on [in {area}]",
            slots=(AREA,),
            **LIGHT,
        ),
        intent(
            "HassTurnOff",
            "(turn|switch) off {name} [in {area}]",
            "(turn|switch) {name} off [in {area}]",
            "turn {name} in {area} off",
            slots=(entity("light", "switch", "media_player"), AREA),
        ),
        intent(
            "HassTurnOff",
            "(turn|switch) off [<all>] [the] <lights> [(in|of) ({area}|here)]",
            "(turn|switch) [<all>] [the] <lights> off [in {area}]",
            "(turn|switch) off [<all>] [the] {area} <lights>",
            "(turn|switch) [the] {area} <lights> off",
            "lights (off|out) [in {area}]",
            slots=(AREA,),
            **LIGHT,
        ),
        intent(
            "HassLightSet",
            "(set|change|dim) [the] [brightness of] {name} [brightness] to <level>",
            "(set|change|dim) [the] {area} [lights] [brightness] to {0..100:brightness} [percent]",
            "(set|change) [the] brightness of [the] {area} [lights] to {0..100:brightness} percent",
            "(set|change|turn) [the] {name} [color] to {color}",
            "(set|change|turn) [the] {area} lights to {color}",
            slots=(
                entity("light", required=False),
                AREA,
                SlotSchema(name="brightness", kind="integer", required=False),
                SlotSchema(
                    name="color",
                    kind="choice",
                    choices=("red", "green", "blue", "warm white", "white", "yellow"),
                    required=False,
                ),
            ),
        ),
    ),
)

HOUSE = SkillManifest(
    name="house",
    api=1,
    intents=(
        intent(
            "HassOpenCover",
            "open [the] {name} [in {area}]",
            slots=(entity("cover"), AREA),
        ),
        intent(
            "HassCloseCover",
            "(close|shut) [the] {name} [in {area}]",
            slots=(entity("cover"), AREA),
        ),
        intent(
            "HassSetPosition",
            "(set|move) {name} to {percentage:position}",
            slots=(entity("cover"), SlotSchema(name="position", kind="integer")),
        ),
        intent("HassLock", "lock [the] {name}", slots=(entity("lock"),)),
        intent("HassUnlock", "unlock [the] {name}", slots=(entity("lock"),)),
        intent(
            "HassListAddItem",
            "add {item} to [the|my] {name} [list]",
            "put {item} on [the|my] {name} [list]",
            slots=(SlotSchema(name="item", kind="text"), entity("todo")),
        ),
        intent(
            "HassBroadcast",
            "(broadcast|announce) {message}",
            slots=(SlotSchema(name="message", kind="text"),),
        ),
        intent(
            "HassClimateSetTemperature",
            "set [the] temperature to {temperature} [degrees] [in {area}]",
            slots=(SlotSchema(name="temperature", kind="number"), AREA),
        ),
    ),
)

ALARM = SkillManifest(
    name="alarm",
    api=1,
    intents=(
        intent(
            "SetAlarm",
            "(set|create) an alarm [for|at] {time}",
            "wake me [up] [at] {time}",
            slots=(SlotSchema(name="time", kind="time"),),
        ),
        intent(
            "SetReminder",
            "remind me {datetime:when} to {text}",
            "remind me to {text} {datetime:when}",
            slots=(
                SlotSchema(name="when", kind="datetime"),
                SlotSchema(name="text", kind="text"),
            ),
        ),
        intent(
            "ShowCalendar",
            "what (is|do i have) on [my] calendar [on|for] {date}",
            "what's on [for] {date}",
            slots=(SlotSchema(name="date", kind="date"),),
        ),
        intent(
            "SetVolume",
            "[set] [the] volume [to] {level}",
            slots=(SlotSchema(name="level", kind="integer"),),
        ),
    ),
)

BASICS = SkillManifest(
    name="basics",
    api=1,
    intents=(
        intent("Stop", "stop", "(be|shut) (quiet|up)", "silence"),
        intent("Cancel", "cancel [that]", "never mind", "nevermind", "forget it"),
        intent("Repeat", "(repeat|say) that [again]", "what did you say", "say again", "repeat"),
        intent("Help", "help [me]", "what can (i say|you do)", "what do you understand"),
    ),
)

COFFEE = SkillManifest(
    name="cafe",
    api=1,
    rules={
        "want": "(brew|can i get|i want|i'd like|make me|may i have)",
        "drink": "([{cup}];[{bean}];[{shots}]) {drink}",
        "extras": "with ({milk}|{sugar}|{milk} and {sugar}|{sugar} and {milk})",
    },
    intents=(
        intent(
            "orderCoffee",
            "[<want>] [a|an] <drink> [<extras>]",
            slots=(
                SlotSchema(
                    name="cup", kind="choice", choices=("tall", "twelve ounce"), required=False
                ),
                SlotSchema(
                    name="bean",
                    kind="choice",
                    choices=("light roast", "dark roast"),
                    required=False,
                ),
                SlotSchema(
                    name="shots", kind="choice", choices=("one shot", "double shot"), required=False
                ),
                SlotSchema(name="drink", kind="choice", choices=("latte", "iced mocha", "mocha")),
                SlotSchema(
                    name="milk",
                    kind="choice",
                    choices=("milk", "a bit of soy milk", "soy milk"),
                    required=False,
                ),
                SlotSchema(
                    name="sugar", kind="choice", choices=("sugar", "lots of sugar"), required=False
                ),
            ),
        ),
    ),
)

MANIFESTS = (CLOCK, TIMER, LIGHTS, HOUSE, ALARM, BASICS)
