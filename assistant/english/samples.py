"""What stands for free text, and around a command, in sentences that are made up to learn from."""

from __future__ import annotations

from assistant.english.lists import phrase_list

THINGS = phrase_list(
    "milk, eggs, bread, coffee, apples, toilet paper, dinner, pizza, pasta, tea, laundry, work, "
    "school, yoga, egg, oven, dishes"
)
DEEDS = phrase_list(
    "call mum, call the doctor, feed the cat, water the plants, take out the trash, buy flowers, "
    "come downstairs, clean the bathroom, pay the rent, go to bed, lock the door, buy milk"
)
"""What stands for free text in sampled sentences: deeds after "to", things elsewhere."""

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
"""What stands for the free text of Home Assistant's own lists in sampled sentences."""

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
"""Around a command."""
JOINTS = ("and", "then", "and then")
"""Between two commands."""
