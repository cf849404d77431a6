"""How people say the values of slots, and the content of sentences that are sampled to learn from.

Rules are in hassil's template language. A list that fills a slot named "_" only matches words; a
resolver then reads the whole phrase.
"""

from __future__ import annotations

import re

from assistant.english.dates import MONTHS, WEEKDAYS
from assistant.english.lists import phrase_list
from assistant.english.numbers import ORDINALS

DOUBLED = re.compile(
    r"\b(?:(the|on|for|at|in|more) +\1|an? +an?|(?:for|at|in) +(?:for|on|at|in))\b"
)
"""Words that nobody says one after the other, where a slot brings its own: "for on Tuesday"."""

RULES = {
    "duration": "(<amount>[ [and] (<amount>|{1..59:_})][ [and] (<amount>|{1..59:_})])",
    "amount": (
        "((<count>|a|an|a couple [of]|<part_of>) <unit>"
        "|(<count>|a|an) <unit> and (a half|one half|half|[a|one] quarter|three quarters))"
    ),
    "count": "({0..100000:_}[ (point {0..99:_}|and [a|one] half)])",
    "part_of": (
        "(half|half [of] (a|an)|a half|one half"
        "|[a|one] quarter of (a|an)|three quarters of (a|an)|quarter)"
    ),
    "unit": "(second[s]|sec[s]|minute[s]|min[s]|hour[s]|hr[s]|day[s]|week[s])",
    "clock": (
        "({0..24:_}[ o'clock]|{0..23:_} {0..59:_}"
        "|({1..59:_} [minute[s]]|[a] quarter|half) (past|after|to|before|till|of) {0..23:_}"
        "|half {1..12:_}|noon|midnight|midday)"
    ),
    "day_part": (
        "(am|pm|in the (morning|afternoon|evening)|at night|tonight"
        "|this (morning|afternoon|evening))"
    ),
    "time": "(<clock>[ <day_part>])",
    "weekday": f"([[on] (this|next)|on] ({'|'.join(WEEKDAYS)}))",
    "ordinal": "|".join(
        [*ORDINALS, *(f"{n}(st|nd|rd|th)" for n in range(1, 32))]
        + [f"{tens} {one}" for tens in ("twenty", "thirty") for one in ORDINALS[:9]]
        + ["thirtieth"]
    ),
    "month": "|".join(MONTHS),
    "date": (
        "(today|tonight|tomorrow|yesterday|[the] day after tomorrow|<weekday>"
        "|[on] [the] (<ordinal>|{1..31:_}) [of] (<month>)"
        "|[on] (<month>) [the] (<ordinal>|{1..31:_})"
        "|in (<count>|a|an|a couple [of]) (day[s]|week[s]))"
    ),
    "datetime": (
        "([on] <date> [at] <time>|[at] <time> [on] <date>|[at] <time>|in <duration>"
        "|(tomorrow|<weekday>) (morning|afternoon|evening|night) [at] <clock>)"
    ),
    "period": (
        "([for|on|in] <date>[ (morning|afternoon|evening|night)]|this (morning|afternoon|evening)"
        "|[for|on|at|over] [the|this|next|last|this coming] weekend"
        "|[for|in|over] [the] (this|next|last|coming|past) (week|month)|[the] week after next"
        "|[for|in|over] [the] (next|coming|last|past) [few|{2..60:_}] (days|weeks|months)"
        "|[for|in] (this|next|last|) (<month>)|last <weekday_name>|[the] day before yesterday)"
    ),
    "integer": "([minus ]{0..1000000:_})",
    "number": "([minus ]<count>|half|a half)",
    "percentage": "({0..100:_}[ percent]|half|[a] quarter|three quarters|full|maximum|minimum)",
    "temperature": ("([minus ]<count>[ degree[s]][ (celsius|centigrade|fahrenheit|kelvin|c|f)])"),
    "colour": (
        "([light|dark|bright] (red|green|blue|yellow|orange|pink|purple|brown|gray|grey)"
        "|white|black|turquoise|cyan|magenta|violet|gold|teal|lime|indigo|lavender|salmon|coral"
        "|beige|amber|(warm|soft|neutral|cool|cold) white|daylight|{1500..9000:_} kelvin)"
    ),
    "weekday_name": f"({'|'.join(WEEKDAYS)})",
    "weekdays_named": f"({'|'.join(f'{day}s' for day in WEEKDAYS)})",
    "recurring": (
        "((every|each) (<weekday_name>[ [and] <weekday_name>][ and <weekday_name>]|<weekday_name> "
        "(morning|afternoon|evening|night)|minute|hour|day|week|month|year|weekday|weekend"
        "|morning|afternoon|evening|night|(other|second|third) (day|week|month|<weekday_name>)"
        "|{2..90:_} (minutes|hours|days|weeks|months|years))"
        "|[on] (weekdays|weekends|<weekdays_named>[ and <weekdays_named>])"
        "|daily|weekly|monthly|yearly|hourly|[from] <weekday_name> (to|through) <weekday_name>"
        "|[on] [the] (<ordinal>|(first|second|third|fourth|last) <weekday_name>|last day)"
        " of (every|each) month|every year on [the] <date>)"
    ),
    "recurrence": "(<recurring>[ [at] <time>]|[at] <time> <recurring>)",
}
"""Rules named after a kind of slot say how its values sound; the others are their parts."""

SPOKEN = {
    "duration": (
        "({2..60:_} (second[s]|minute[s])|(two|three|five|ten|fifteen|twenty|thirty) minute[s]"
        "|{2..24:_} hour[s]|(one|a) (second|minute)|(an|one) hour"
        "|half an hour|an hour and a half|(two|three|four) and a half (minutes|hours)"
        "|(a quarter|three quarters) of an hour|{2..14:_} days|a week"
        "|(one hour|{2..12:_} hours) [and] {1..59:_} minutes|one hour {10..59:_}"
        "|(one minute|{2..20:_} minutes) [and] {1..59:_} seconds|a couple of (minutes|hours))"
    ),
    "time": (
        "({1..12:_}[ o'clock][ (am|pm)]|{1..12:_} {10..59:_}[ (am|pm)]|{0..23:_} {10..59:_}"
        "|(half|[a] quarter) past {1..12:_}|[a] quarter to {1..12:_}"
        "|{1..29:_} minutes (past|to) {1..12:_}|(five|ten|twenty|twenty five) (past|to) {1..12:_}"
        "|{1..12:_} in the (morning|afternoon|evening)|{8..11:_} at night|noon|midnight)"
    ),
    "date": (
        "(today|tonight|tomorrow|the day after tomorrow|[this|next] (<weekday_name>)"
        "|the (<day_name>) of (<month>)|(<month>) (<day_name>)|in {2..14:_} (days|weeks))"
    ),
    "datetime": (
        "([on] <spoken date> at <spoken time>|at <spoken time>[ <spoken date>]"
        "|in <spoken duration>|(tomorrow|<weekday_name>) (morning|evening) at {5..11:_})"
    ),
    "period": (
        "(today|tomorrow|tonight|this (morning|afternoon|evening|week|weekend)|next (week|month)"
        "|[on] <weekday_name>[ (morning|afternoon|evening)]|on the (<day_name>) of (<month>)"
        "|tomorrow (morning|afternoon|evening)|the weekend|next <weekday_name>)"
    ),
    "weekday_name": "|".join(WEEKDAYS),
    "day_name": "|".join([*ORDINALS, *(f"twenty {one}" for one in ORDINALS[:9]), "thirtieth"]),
    "integer": "{0..100:_}",
    "number": "({0..100:_}|{0..30:_} (point {0..9:_}|and a half))",
    "percentage": "({0..100:_}[ percent]|half|maximum|minimum)",
    "temperature": "({5..30:_}|{10..90:_} degrees[ (celsius|fahrenheit)])",
    "colour": (
        "(red|green|blue|yellow|orange|pink|purple|white|turquoise|light blue|dark red|warm white"
        "|cool white)"
    ),
    "recurrence": (
        "((every day|every weekday|daily|every <weekday_name>|weekdays|every morning)"
        "[ at {5..11:_}[ (am|pm)]]|every other (day|<weekday_name>)"
        "|every {2..30:_} (minutes|hours))"
    ),
}
"""Rules for samples: the usual ways to say the values that `RULES` accept in many more ways."""

THINGS = phrase_list(
    "milk, eggs, bread, coffee, apples, toilet paper, dinner, pizza, pasta, tea, laundry, work, "
    "school, yoga, egg, oven, dishes"
)
ACTIONS = phrase_list(
    "call mum, call the doctor, feed the cat, water the plants, take out the trash, buy flowers, "
    "come downstairs, clean the bathroom, pay the rent, go to bed, lock the door, buy milk"
)
"""Free text for sampled sentences: `ACTIONS` after "to", `THINGS` elsewhere."""

HEARD_THINGS = phrase_list(
    "milk, oat milk, eggs, egg, bread, butter, cheese, cream, yogurt, apples, bananas, oranges, "
    "lemons, grapes, strawberries, berries, pears, avocados, tomatoes, potatoes, onions, carrots, "
    "peppers, cucumber, lettuce, spinach, broccoli, mushrooms, garlic, ginger, beans, peas, corn, "
    "rice, pasta, noodles, flour, sugar, salt, pepper, oil, olive oil, vinegar, honey, jam, "
    "peanut butter, cereal, oats, soup, sauce, ketchup, mustard, nuts, chocolate, biscuits, "
    "cookies, cake, crisps, ice cream, chicken, beef, ham, bacon, sausages, fish, salmon, tuna, "
    "tofu, water, juice, orange juice, coffee, tea, beer, wine, cola, toilet paper, kitchen roll, "
    "paper towels, tissues, soap, shampoo, toothpaste, toothbrushes, washing powder, "
    "washing up liquid, dishwasher tablets, bin bags, sponges, foil, candles, batteries, "
    "light bulbs, nappies, wipes, cat food, dog food, plasters, vitamins, flowers, a card, stamps, "
    "dinner, lunch, breakfast, pizza, laundry, work, school, yoga, oven, dishes, holiday, "
    "the dentist, the doctor, the vet, the hairdresser, the bank, a birthday present, a parcel, "
    "the car, the keys, the spare key, my passport, my glasses"
)
HEARD_ACTIONS = phrase_list(
    "call mum, call dad, call the doctor, call the dentist, call the vet, call the bank, "
    "call the plumber, call the school, call grandma, phone mum, ring mum, text mum, "
    "feed the cat, feed the dog, walk the dog, feed the baby, water the plants, "
    "water the garden, take out the trash, take the bins out, put the bins out, "
    "take out the rubbish, take the rubbish out, empty the bin, empty the dishwasher, "
    "load the dishwasher, do the dishes, wash the car, do the laundry, hang up the washing, "
    "put the washing on, fold the laundry, iron my shirt, clean the bathroom, clean the kitchen, "
    "clean the windows, vacuum the living room, tidy the bedroom, make the beds, "
    "change the sheets, "
    "mow the lawn, check the oven, turn off the oven, take the bread out, take the cake out, "
    "stir the soup, defrost the chicken, start dinner, make dinner, cook dinner, have lunch, "
    "buy milk, buy bread, buy flowers, buy a present, buy stamps, go shopping, "
    "pick up the kids, pick up the parcel, pick up the dry cleaning, collect the car, "
    "drop off the parcel, post the letter, send the letter, return the books, pay the rent, "
    "pay the bill, pay the electricity bill, book a table, book the dentist, renew my passport, "
    "take my medicine, take my pills, take my tablets, take my vitamins, drink water, "
    "take a break, stretch, do my homework, do my exercises, go to bed, go for a run, "
    "go to the gym, go to the shop, get up, wake the kids, leave for work, leave for school, "
    "leave the house, lock the door, close the windows, charge my phone, charge the car, "
    "back up my computer, print the tickets, pack my bag, pack lunch, sign the form, "
    "check my emails, join the meeting, come downstairs, come home, say thank you"
)
"""The same for what may be heard: the more there is, the more of what people say is heard right."""

FREE_TEXT = {
    "search_query": phrase_list(
        "queen, bohemian rhapsody, the beatles, breaking bad, inception, jazz, classical music, "
        "my favorites, taylor swift, the daily, hotel california, some rock music, pink floyd, "
        "abbey road, christmas songs, the lord of the rings, workout mix, miles davis"
    ),
    "message": phrase_list(
        "dinner is ready, we leave in five minutes, it is time for bed, the taxi is here, "
        "i am home, breakfast is on the table, please come downstairs, lunch is served, "
        "somebody is at the door, the movie starts now, turn down the music, wake up"
    ),
    "zone": phrase_list("work, school, home, gym, the office, grandma's house, church, university"),
    "timer_name": phrase_list(
        "pizza, pasta, eggs, laundry, tea, chicken, cookies, homework, nap, workout, bread, dryer"
    ),
    "timer_command": phrase_list(
        "turn off the lights, open the garage door, turn on the fan, close the blinds, "
        "lock the front door, pause the music, turn on the heater, start the vacuum"
    ),
}
"""Free text for Home Assistant's own lists in sampled sentences."""

_PEOPLE = phrase_list(
    "mum, dad, grandma, grandpa, anna, tom, ben, sarah, emma, james, maria, peter, lisa, alex, "
    "my wife, my husband, my brother, my sister, the kids, the boys, the girls, everybody, "
    "the doctor, the neighbours, the cleaner"
)
_PLACES = phrase_list(
    "london, new york, paris, berlin, tokyo, sydney, los angeles, san francisco, chicago, boston, "
    "toronto, madrid, rome, vienna, zurich, amsterdam, dublin, lisbon, athens, istanbul, moscow, "
    "delhi, mumbai, singapore, hong kong, beijing, shanghai, dubai, cairo, cape town, melbourne, "
    "auckland, the airport, the station, the office, the supermarket, the library, the pharmacy, "
    "the post office, the dentist, school, work, home"
)
_LISTS = phrase_list(
    "shopping, grocery, groceries, to do, packing, holiday, wish, birthday, party, gift, work, "
    "school, cleaning, chores, camping, reading, hardware, pharmacy, christmas"
)
HEARD_IN = {
    "day": phrase_list(
        "christmas, christmas eve, new year, new year's eve, easter, halloween, thanksgiving, "
        "valentine's day, mother's day, father's day, my birthday, the weekend, monday, tuesday, "
        "wednesday, thursday, friday, saturday, sunday, next monday, next friday, next week, "
        "tomorrow, the day after tomorrow, the first of may, the first of june, the tenth of june, "
        "the fifteenth of august, the twenty fourth of december, the end of the month, summer"
    ),
    "who": _PEOPLE,
    "whom": _PEOPLE,
    "person": _PEOPLE,
    "place": _PLACES,
    "topic": phrase_list(
        "the spare key, the wifi, the password, the boiler, the car, the parking, the keys, "
        "my passport, the alarm code, the bins, the plumber, the party, the school, my locker"
    ),
    "home.name": _LISTS,
    "home.new_name": _LISTS,
    "home.what": [
        f"{what} is {where}"
        for what in phrase_list(
            "the spare key, my passport, the car, the torch, the drill, the ladder, the remote, "
            "the suitcase, the first aid kit"
        )
        for where in phrase_list(
            "in the kitchen, in the kitchen drawer, in the bedroom, in the hall, in the garage, "
            "in the cupboard, in the cellar, in the attic, under the bed, under the stairs, "
            "under the mat, on the shelf, behind the door, on level three, at my mother's"
        )
    ],
    "calendar.what": phrase_list(
        "dentist, doctor, the dentist, the doctor, dentist appointment, doctor's appointment, "
        "appointment, meeting, team meeting, lunch with anna, dinner with anna, dinner with tom, "
        "coffee with sarah, dinner, lunch, birthday party, party, haircut, football, football "
        "practice, tennis, swimming, yoga, piano lesson, guitar lesson, parents evening, "
        "school trip, concert, cinema, holiday, vet, car service, interview, bin day"
    ),
    "timer.name": FREE_TEXT["timer_name"],
    "timer.new_name": FREE_TEXT["timer_name"],
    "routines.name": phrase_list(
        "movie time, bedtime, dinner time, good night, good morning, party time, game night, "
        "away, homework, reading, breakfast, wake up"
    ),
    "search_query": FREE_TEXT["search_query"],
}
"""Slot, or skill and slot → what is said there, where that is not any thing."""

HEARD_OPEN_IN = (
    "KeepNote.what",
    "SetReminder.what",
    "HassShoppingListAddItem.item",
    "HassListAddItem.item",
    "AddEvent.what",
    "HassBroadcast.message",
)
"""Intent and slot where people say what nobody can list: notes, things to buy, messages."""

POLITE = (
    "please {}",
    "{} please",
    "could you {}",
    "can you {}",
    "can you please {}",
    "would you {}",
    "i'd like you to {}",
    "{} for me",
    "{} thanks",
    "hey {}",
    "okay {}",
)
"""Polite frames around a sampled command."""
JOINTS = ("and", "then", "and then")
"""Words between two sampled commands."""
