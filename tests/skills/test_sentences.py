"""What people usually say to the built-in skills is understood; what only sounds near is not."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from functools import cache

import pytest

from assistant.core.messages import Interpretation, SlotValue, Transcript
from nlu.interpreter import Interpreter
from nlu.stage import NluStage
from tests.support.grammars import manifests, templates_of
from tests.support.talking import EVENING, HOME

Slots = dict[str, SlotValue]


def _moment(day: date, hour: int) -> str:
    midnight = datetime.combine(day, time(), tzinfo=EVENING.tzinfo)
    return (midnight + timedelta(hours=hour)).isoformat()


_DAY = EVENING.date() + timedelta(days=1)
YESTERDAY, TOMORROW, TOMORROW_MORNING = (
    f"{_moment(_DAY, since)}/{_moment(_DAY, until)}"
    for since, until in ((-48, -24), (0, 24), (4, 12))
)

UNDERSTOOD: dict[str, dict[str, Slots]] = {
    "DoNotDisturb": {
        "do not disturb": {},
        "don't disturb me for two hours": {"duration": 7200},
        "please don't bother us until eight": {"until": _moment(EVENING.date(), 20)},
        "turn on do not disturb": {},
        "no announcements for an hour": {"duration": 3600},
    },
    "SetMode": {
        "put the humidifier on sleep mode": {"mode": "sleep", "domain": "humidifier"},
        "set the boiler to eco please": {"mode": "eco", "domain": "water_heater"},
        "switch the heating in the kitchen to auto": {
            "mode": "auto",
            "domain": "climate",
            "area": "Kitchen",
        },
    },
    "EndDoNotDisturb": {
        "you may speak again": {},
        "you can talk again": {},
        "turn off do not disturb": {},
    },
    "IsDoNotDisturb": {"is do not disturb on": {}},
    "SpeakLouder": {
        "speak louder": {},
        "talk a little louder please": {},
        "turn your volume up": {},
        "I can hardly hear you": {},
    },
    "SpeakQuieter": {"be quieter": {}, "turn yourself down a bit": {}, "you're too loud": {}},
    "SetSpeakingVolume": {
        "set your volume to sixty percent": {"percent": 60},
        "turn your voice down to 30": {"percent": 30},
        "speak at half volume": {"percent": 50},
    },
    "SpeakingVolume": {"how loud are you": {}, "what's your volume": {}},
    "IsListening": {"are you listening to us": {}, "can you hear me": {}, "are you muted": {}},
    "AssistantVersion": {"what version are you": {}, "what's your version number": {}},
    "WhyWasThatSlow": {"why was that so slow": {}, "what took you so long": {}},
    "WhatWasUnderstood": {"what did you understand": {}, "what did you hear": {}},
    "MakeBackup": {"make a backup": {}, "back everything up": {}},
    "RestartAssistant": {"restart yourself": {}, "reboot now": {}},
    "HassStartTimer": {
        "set a timer for five minutes": {"duration": 300},
        "set a five minute timer": {"duration": 300},
        "set timer five minutes": {"duration": 300},
        "start a timer for an hour and a half": {"duration": 5400},
        "set a timer to go off in ten minutes": {"duration": 600},
        "set an egg timer for three minutes": {"duration": 180, "name": "egg"},
        "start a ten minute pasta timer": {"duration": 600, "name": "pasta"},
        "set a timer called tea for two minutes": {"duration": 120, "name": "tea"},
        "set a timer for ten minutes for the pasta": {"duration": 600, "name": "pasta"},
        "tell me in twenty minutes": {"duration": 1200},
        "set a timer": {},
        "set a pizza timer": {"name": "pizza"},
        "set a ten minute timer and ring in the office": {
            "duration": 600,
            "there": "Office",
        },
    },
    "SetAlarm": {
        "set an alarm for nine": {"at": "21:00:00+00:00"},
        "wake me at seven": {"moment": _moment(EVENING.date(), 19), "waking": "yes"},
        "set an alarm": {},
        "an alarm for nine p.m.": {"at": "21:00:00+00:00"},
        "set a gym alarm for nine": {"at": "21:00:00+00:00", "name": "gym"},
        "set an alarm for nine in the office": {"at": "21:00:00+00:00", "area": "Office"},
    },
    "AlarmStatus": {"what alarms are set": {}, "when is my alarm": {}, "list my alarms": {}},
    "WakingTime": {"what time do I get up tomorrow": {"day": _DAY.isoformat()}},
    "ChangeAlarm": {
        "make my alarm half an hour later": {"duration": 1800, "direction": "later"},
        "make tomorrow's alarm ten minutes earlier": {
            "day": _DAY.isoformat(),
            "duration": 600,
            "direction": "earlier",
        },
    },
    "SkipAlarm": {
        "skip the next alarm": {},
        "let me sleep in tomorrow": {"day": _DAY.isoformat()},
    },
    "CancelAlarm": {"cancel my alarm": {}, "turn off the alarm": {}},
    "CancelAllAlarms": {"cancel all alarms": {}, "delete my alarms": {}},
    "SetReminder": {"set a reminder": {}},
    "HassMediaSearchAndPlay": {
        "play the album kind of blue": {"search_query": "kind of blue", "media_class": "album"},
    },
    "PlayAgain": {"play it again": {}},
    "ShuffleMusic": {"shuffle the music": {"order": "any"}},
    "WhatIsPlaying": {"who sings this": {"fact": "artist"}},
    "MusicThere": {"do you have anything by queen": {"search_query": "queen"}},
    "MusicNames": {"what playlists are there": {"kind": "playlist"}},
    "TellEveryone": {
        "tell everyone it's time to go": {"message": "it's time to go"},
        "let the kids know that lunch is on the table": {"message": "lunch is on the table"},
    },
    "TellRoom": {
        "tell the kitchen that dinner is ready": {
            "area": "Kitchen",
            "message": "dinner is ready",
        },
    },
    "GetNews": {"what's the news": {}, "any news about the ferry": {"topic": "ferry"}},
    "ReminderStatus": {"what are my reminders": {}, "do I have any reminders": {}},
    "CancelReminder": {"cancel the reminder": {}},
    "CancelAllReminders": {"cancel all my reminders": {}},
    "ChangeReminder": {
        "make that reminder half an hour later": {"duration": 1800, "direction": "later"}
    },
    "HassCancelTimer": {
        "cancel the timer": {},
        "stop my timer": {},
        "cancel the pasta timer": {"name": "pasta"},
        "cancel the five minute timer": {"start_duration": 300},
    },
    "PlannedList": {
        "what is planned": {},
        "what have you got planned": {},
        "what have you planned for tomorrow": {"period": TOMORROW},
        "is anything planned": {},
        "what will you do later": {},
    },
    "MakeRoutine": {
        "make a routine": {},
        "create a new routine": {},
        "let me teach you a new routine": {},
        "when I say movie time, turn off the lights": {
            "name": "movie time",
            "what": "turn off the lights",
        },
    },
    "ListRoutines": {"what routines do I have": {}, "list my routines": {}},
    "HelpRoutines": {"what can I say about routines": {}, "how do I make a routine": {}},
    "CancelPlanned": {
        "cancel the plan for the kitchen light": {"what": "kitchen light"},
        "forget the plan with the kettle": {"what": "kettle"},
        "cancel what is planned for the desk lamp": {"what": "desk lamp"},
    },
    "CancelAllPlanned": {
        "cancel everything that is planned": {},
        "cancel everything planned": {},
        "delete all your plans": {},
    },
    "HassCancelAllTimers": {"cancel all timers": {}, "stop all of my timers": {}},
    "HassTimerStatus": {
        "how much time is left": {},
        "how long is left on the pasta timer": {"name": "pasta"},
        "how much longer on the timer": {},
        "what timers do i have": {},
        "when will my timer go off": {},
    },
    "HassIncreaseTimer": {
        "add five minutes to the timer": {"duration": 300},
        "add another five minutes to the tea timer": {"duration": 300, "name": "tea"},
    },
    "HassDecreaseTimer": {"take two minutes off the timer": {"duration": 120}},
    "HassPauseTimer": {"pause the timer": {}},
    "HassUnpauseTimer": {"resume the pasta timer": {"name": "pasta"}},
    "HassGetCurrentTime": {
        "what time is it": {},
        "what's the time": {},
        "tell me the time": {},
        "what is the time right now": {},
    },
    "HassGetCurrentDate": {
        "what's the date": {},
        "what day is it today": {},
        "what is today's date": {},
    },
    "HassTurnOn": {
        "turn on the lights": {"domain": "light"},
        "turn the lights on": {"domain": "light"},
        "lights on": {"domain": "light"},
        "turn on the kitchen lights": {"domain": "light", "area": "Kitchen"},
        "turn on the lights in the office": {"domain": "light", "area": "Office"},
        "switch the desk lamp on": {"name": "Desk Lamp"},
        "turn on the kettle": {"name": "Kettle"},
    },
    "HassTurnOff": {
        "turn off all the lights": {"domain": "light"},
        "turn everything off": {},
        "switch off the desk lamp": {"name": "Desk Lamp"},
    },
    "HassLightSet": {
        "dim the desk lamp to 40 percent": {"name": "Desk Lamp", "brightness": 40},
        "set the lights to thirty percent": {"brightness": 30},
        "set the brightness in the kitchen to 70 percent": {"area": "Kitchen", "brightness": 70},
        "dim the lights": {},
    },
    "HassGetState": {
        "is the desk lamp on": {"name": "Desk Lamp", "state": "on"},
        "is the front door locked": {"name": "Front Door", "state": "locked"},
        "are the lights on in the kitchen": {"domain": "light", "state": "on", "area": "Kitchen"},
        "which lights are on": {"domain": "light", "state": "on"},
    },
    "HassNevermind": {"stop": {}, "cancel that": {}, "never mind": {}, "be quiet": {}},
    "Repeat": {"say that again": {}, "what did you say": {}, "could you repeat that": {}},
    "MarkWrong": {"that was wrong": {}, "you misheard me": {}},
    "Undo": {"undo that": {}, "take that back": {}},
    "Help": {"help": {}, "what can you do": {}, "what can i ask you": {}},
    "MuteMicrophone": {"mute yourself": {}, "stop listening": {}, "turn off your microphone": {}},
    "DocumentSource": {
        "where did you get that from": {},
        "what's your source for that": {},
        "who says so": {},
    },
    "DocumentSummary": {
        "summarise the dishwasher manual": {"name": "dishwasher manual"},
        "give me the gist of the lease": {"name": "lease"},
        "summarise the lease in about a hundred words": {"name": "lease", "words": 100},
    },
    "CalendarPlans": {
        "what is on tomorrow": {"period": TOMORROW},
        "what's on tomorrow": {"period": TOMORROW},
        "what's happening tomorrow": {"period": TOMORROW},
        "what do I have on tomorrow": {"period": TOMORROW},
        "what have I got planned tomorrow": {"period": TOMORROW},
        "what's in my calendar for tomorrow": {"period": TOMORROW},
        "what do I have in my diary tomorrow": {"period": TOMORROW},
        "what is in my calendar": {},
        "do I have anything on tomorrow": {"period": TOMORROW},
        "have we got an appointment tomorrow": {"period": TOMORROW},
        "do I have any plans for tomorrow": {"period": TOMORROW},
        "is there anything in my calendar tomorrow": {"period": TOMORROW},
        "am I free tomorrow": {"period": TOMORROW},
        "what are my plans for tomorrow": {"period": TOMORROW},
        "what's on tomorrow morning": {"period": TOMORROW_MORNING},
    },
    "CalendarNext": {
        "when is my next appointment": {},
        "what's my next meeting": {},
        "what is next in my calendar": {},
        "when is my next meeting with Alice": {"person": "alice"},
        "when do I see Alice next": {"person": "alice"},
        "what's next": {},
        "what have I got next": {},
    },
    "FindFreeTime": {
        "when am I free tomorrow": {"period": TOMORROW},
        "do we have any free time tomorrow": {"period": TOMORROW},
    },
    "IsTimeFree": {
        "am I free at half past three": {"at": "03:30:00+00:00"},
        "are we busy at nine pm": {"at": "21:00:00+00:00"},
    },
    "DocumentNotes": {
        "what did I note yesterday": {"period": YESTERDAY},
        "what did I write down about the boiler yesterday": {
            "topic": "boiler",
            "period": YESTERDAY,
        },
    },
}
ELSEWHERE = {
    "WhenReminded",
    "RemindAtEvent",
    "Calculate",
    "ConvertUnits",
    "SpellWord",
    "TellJoke",
    "SensorsWrong",
} | {
    *("AddEvent", "MoveEvent", "CancelEvent"),
}
"""Intents whose cases are their skill's own tests: most have free text or numbers throughout."""
FIXED = ("talk", "unserved")
"""Skills with one reply to each intent, which have their own tests."""
CASES = [(text, name, slots) for name, said in UNDERSTOOD.items() for text, slots in said.items()]

NOT_FOR_US = (
    "five minutes",
    "what's the weather",
    "open the garage door",
    "don't turn on the lights",
    "the lights are too bright",
    "i wonder what time it is in tokyo",
    "she said turn on the lights",
    "turn on the charm",
    "my timer is broken",
)


@cache
def stage() -> NluStage:
    templates = templates_of(HOME)
    return NluStage(templates, Interpreter(templates), lambda: EVENING)


def understood(text: str) -> list[tuple[str, Slots]]:
    said = Transcript(utterance_id="u", revision=1, text=text)
    (meant,) = (m for m in stage().feed(said) if isinstance(m, Interpretation))
    return [(c.intent, {s.name: s.value for s in c.slots}) for c in meant.commands]


@pytest.mark.parametrize(("text", "intent", "slots"), CASES, ids=[text for text, _, _ in CASES])
def test_it_is_understood(text: str, intent: str, slots: Slots) -> None:
    assert understood(text) == [(intent, slots)]


@pytest.mark.parametrize("text", NOT_FOR_US)
def test_it_is_left_alone(text: str) -> None:
    assert understood(text) == []


def test_every_intent_of_the_built_in_skills_has_a_case() -> None:
    others = (m for m in manifests() if m.name not in FIXED)
    intents = {i.intent for m in others for i in m.intents}
    assert intents - ELSEWHERE == set(UNDERSTOOD)
