"""Replaces the names in our own sentences, so that the model learns their contexts."""

from __future__ import annotations

import random
from collections.abc import Callable

from models.training.markup import Sentence, Span, replaced


def _list(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.replace("\n", ",").split(",") if name.strip())


ROOMS = _list("""
kitchen, living room, bedroom, bathroom, hallway, office, study, garage, garden, attic, basement
dining room, guest room, nursery, lounge, sitting room, den, utility room, laundry room, pantry
cellar, porch, patio, balcony, terrace, conservatory, landing, stairs, hall, corridor, foyer
entrance, mudroom, playroom, games room, gym, library, workshop, shed, greenhouse, loft, studio
master bedroom, main bedroom, back bedroom, kids room, kids' bedroom, toilet, ensuite, shower room
wardrobe, walk in closet, cloakroom, boot room, sun room, family room, media room, home cinema
front yard, back yard, driveway, carport, pool house, sauna, wine cellar, music room, craft room
ella's room, grandpa's room, tom's bedroom, baby's room, server room, meeting room, upstairs
downstairs, ground floor, first floor, second floor, top floor, basement floor, drawing room
pooja room, rumpus room, breakfast nook, bar, veranda, summer house, annex, tack room
""")
LIGHTS = _list("""
lamp, light, lights, spotlight, floor lamp, desk lamp, ceiling light, chandelier, night light
fairy lights, led strip, strip lights, wall lights, reading lamp, bedside lamp, standing lamp
pendant, sconces, downlights, lantern, lava lamp, string lights, mirror light, under cabinet lights
""")
THINGS = _list("""
fan, ceiling fan, heater, radiator, thermostat, air conditioner, ac, blinds, curtains, shutters
shades, blind, curtain, awning, gate, garage door, front door, back door, door lock, lock, deadbolt
window, skylight, tv, telly, television, stereo, speaker, soundbar, radio, projector, hi fi, amp
record player, vacuum, robot vacuum, robo mop, mower, lawn mower, sprinkler, irrigation, pump
pool pump, boiler, water heater, kettle, coffee machine, coffee maker, toaster, oven, dishwasher
washing machine, dryer, fridge, freezer, printer, router, computer, monitor, charger, car charger
plug, socket, smart plug, outlet, switch, power strip, humidifier, dehumidifier, air purifier
extractor fan, towel rail, electric blanket, fountain, aquarium, doorbell, camera, alarm, siren
movie night scene, dinner scene, bedtime script, good night script, romantic scene, reading scene
""")
BEFORE = _list("""
kitchen, bedroom, living room, hall, office, garden, porch, patio, garage, dining room, nursery
bathroom, left, right, big, small, old, new, red, blue, front, back, upstairs, downstairs, corner
main, second, tom's, ella's, dad's, guest, study, lounge, hallway, loft, side, tall, round
""")
PERSONS = _list("""
anna, ben, carlos, priya, mohammed, li wei, siobhan, fatima, olga, jack, lucy, harry, ravi, tom
miguel, charlotte, dev, grandpa, grandma, nanna, mum, mom, dad, daddy, mummy, my wife, my husband
my sister, my brother, auntie jo, uncle bob, mister patel, mrs jones, doctor lee, john, jon, mary
paul, peter, susan, linda, karen, mike, michael, dave, david, steve, emma, olivia, liam, noah, ava
sophia, mia, isabella, yuki, hiroshi, chen, ahmed, aisha, omar, ivan, natasha, pierre, marie, hans
greta, lars, ingrid, sven, giulia, marco, sofia, juan, maria, pedro, ana, kofi, ama, chidi, ngozi
thabo, zanele, rohan, anjali, vikram, deepa, sanjay, lakshmi, sean, aoife, rhys, cerys, hamish
john smith, sarah connor, james brown, alice walker, bob martin, kate, kathy, catherine, tim, jim
""")
ITEMS = _list("""
milk, bread, eggs, butter, cheese, coffee, tea, sugar, flour, rice, pasta, tomatoes, onions, garlic
potatoes, carrots, apples, bananas, oranges, lemons, limes, grapes, strawberries, yoghurt, cream
chicken, beef mince, bacon, sausages, salmon, tuna, olive oil, vinegar, salt, pepper, paprika
basil, coriander, ginger, oats, cereal, honey, jam, peanut butter, chocolate, biscuits, crisps
toilet paper, paper towels, washing up liquid, bin bags, batteries, light bulbs, shampoo, soap
toothpaste, nappies, cat food, dog food, bird seed, ibuprofen, plasters, sun cream, stamps
two pints of milk, a dozen eggs, half a kilo of flour, three tins of beans, a loaf of bread
six beers, a bottle of red wine, call the dentist, book the car in, pay the gas bill, water plants
clean the gutters, post the parcel, renew the passport, ring mum, buy a birthday card, fix the tap
walk the dog, do the ironing, return library books, order the cake, email the landlord, socks
phone charger, sleeping bag, tent pegs, passport, sunglasses, swimming trunks, mac and cheese
salt and vinegar crisps, almond milk, gluten free bread, dental floss, drain cleaner, wrapping paper
""")
LISTS = _list("""
shopping, grocery, groceries, to do, todo, chores, packing, camping, work, errands, christmas
birthday, party, wish, hardware, diy, holiday, school, homework, reading, books, films, movies
gift, gifts, pets, garden, car, meal plan, weekend, cleaning, baby, pharmacy, costco, supermarket
bucket, wedding, travel, recipes, projects, jobs, family, kids, farmers market, invites
""")
COLOURS = _list("""
red, green, blue, yellow, orange, purple, pink, white, black, turquoise, teal, cyan, magenta
violet, lavender, gold, amber, lime, navy, maroon, brown, light blue, dark green, warm white
cool white, sky blue, salmon, coral, indigo, beige, crimson, soft white, hot pink, peach
""")
TIMERS = _list("""
pasta, pizza, bread, eggs, egg, tea, laundry, washing, chicken, roast, nap, homework, workout, rice
potatoes, cookies, cake, brownies, steak, noodles, oven, screen time, meditation, dal, muffins
soup, coffee, lunch break, study, parking, hair dye, face mask, turkey, kids, dough, sauce, curry
""")
TITLES = _list("""
jazz, classical music, the beatles, rock, abba, queen, radiohead, thriller, bohemian rhapsody
rumours, frozen, paddington, the news, radio two, npr, white noise, rain sounds, lofi beats
workout mix, christmas songs, eighties hits, country, reggae, salsa, opera, hip hop, drum and bass
taylor swift, beyonce, drake, coldplay, adele, ed sheeran, mozart, bach, chopin, miles davis
david bowie, pink floyd, led zeppelin, nina simone, bob marley, arijit singh, bts, dua lipa
harry potter, the hobbit, star wars, the crown, friends, sesame street, peppa pig, planet earth
""")
MESSAGES = _list("""
dinner is ready, time for bed, we are leaving in five minutes, the taxi is here, come downstairs
lunch is on the table, i'm home, somebody's at the door, please tidy your rooms, the bus is coming
movie starts at eight, who left the fridge open, bath time, breakfast, please be quiet, phone call
""")

_UNITS = _list("one, two, three, four, five, six, seven, eight, nine")
_TEENS = _list(
    "ten, eleven, twelve, thirteen, fourteen, fifteen, sixteen, seventeen, eighteen, nineteen"
)
_TENS = _list("twenty, thirty, forty, fifty, sixty, seventy, eighty, ninety")


def _number(draw: random.Random, low: int = 1, high: int = 99) -> str:
    value = draw.randint(low, high)
    if draw.random() < 0.25:
        return str(value)
    if value < 10:
        return _UNITS[value - 1]
    if value < 20:
        return _TEENS[value - 10]
    unit = f" {_UNITS[value % 10 - 1]}" if value % 10 else ""
    return _TENS[value // 10 - 2] + unit


def _duration(draw: random.Random, old: str) -> str:
    if not old.endswith("s"):  # "a [ten minute](start) timer"
        return f"{_number(draw, 1, 59)} {draw.choice(('minute', 'second', 'hour'))}"
    unit = draw.choice(("minutes", "minutes", "minutes", "seconds", "hours"))
    more = draw.choice(("", "", "", " and a half", " and thirty seconds", " and ten minutes"))
    if draw.random() < 0.15:
        return draw.choice(("half an hour", "an hour", "a minute", "an hour and a half", "90 secs"))
    return f"{_number(draw, 2, 59)} {unit}{more if unit != 'seconds' else ''}"


def _temperature(draw: random.Random, old: str) -> str:
    if "white" in old or "kelvin" in old:
        return old
    number = _number(draw, 5, 90)
    half = draw.choice(("", "", "", " point five", " and a half"))
    unit = draw.choice(("", " degrees", " degrees", " degrees celsius", " degrees fahrenheit"))
    return number + half + (unit if "degree" in old else "")


def _device(draw: random.Random, old: str) -> str:
    thing = draw.choice(LIGHTS if any(w in old for w in ("light", "lamp")) else THINGS)
    return f"{draw.choice(BEFORE)} {thing}" if draw.random() < 0.5 else thing


def _of(names: tuple[str, ...]) -> Callable[[random.Random, str], str]:
    return lambda draw, old: draw.choice(names)


_MAKERS: dict[str, Callable[[random.Random, str], str]] = {
    "area": _of(ROOMS),
    "name": _device,
    "person": _of(PERSONS),
    "item": _of(ITEMS),
    "list": _of(LISTS),
    "color": _of(COLOURS),
    "timer_name": _of(TIMERS),
    "search_query": _of(TITLES),
    "message": _of(MESSAGES),
    "duration": _duration,
    "start": _duration,
    "temperature": _temperature,
    "brightness": lambda draw, old: _number(draw),
    "percentage": lambda draw, old: _number(draw),
    "position": lambda draw, old: _number(draw),
    "volume_level": lambda draw, old: _number(draw),
}


def renamed(sentence: Sentence, draw: random.Random, share: float = 0.7) -> Sentence:
    """The sentence with about this share of its names and values replaced by others at random."""

    def other(span: Span, said: str) -> str:
        maker = _MAKERS.get(span.label)
        return maker(draw, said) if maker is not None and draw.random() < share else said

    return replaced(sentence, other)
