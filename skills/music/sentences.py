"""Sentences for music and other media, which `skills.fixed` declines where there is no player."""

from __future__ import annotations

PLAY_MUSIC = (
    "play (some|any|a bit of|my|the|another) [{media_class}] {search_query}",
    "play (me|us) {search_query}",
    "play (some music|music|something|a song|anything)",
    "play something (nice|relaxing|cheerful|else|by {search_query}|from {search_query})",
    "put (on some|some) {search_query} [on]",
    "put on (a|an|the) (song|album|playlist) [(called|by|from|about|with) {search_query}]",
    "put (a|the|that|my) (song|album|playlist) on",
    "(put|stick|pop) [some] {search_query} on for (me|us|the kids|the children)",
    "(put|stick|pop) [some|the] (song|album) {search_query} on",
    "(i|we) (want|wanna|fancy|feel like) (listening to|hearing) {search_query}",
    "(i want|i would like|let us|can we|can i) [to] (hear|listen to) {search_query}",
    "(listen to|stream|shuffle) {search_query}",
    "(start|begin|resume|continue) (my|the|a|an|our) playlist",
)
"""Sentences for music."""
PLAY_ELSE = (
    "play (a podcast|a film)",
    "put on (a|an|the) (film|movie|podcast|audiobook|series|show|cartoon) "
    "[(called|by|from|about|with) {search_query}]",
    "put (a|the|that|my) (film|movie|podcast|audiobook|series|show) on",
    "put {search_query} on (spotify|netflix|youtube|tv|the tv|the telly|the television)",
    "(put|stick|pop) [some|the] (film|movie|show|series|cartoon) {search_query} on",
    "(i|we) (want|wanna|fancy|feel like) watching {search_query}",
    "(an|another|the next|the last|the latest|the first) episode of {search_query}",
    "(play|start|put on) (the next|the last|another|the latest) episode [of {search_query}]",
    "(i want|i would like|let us|can we|can i) [to] (watch|see) {search_query}",
    "(watch|find|search for) {search_query} on (spotify|netflix|youtube|the tv|tv)",
    "show me {search_query} on (spotify|netflix|the tv|tv)",
    "(start|begin|resume|continue) (my|the|a|an|our) (podcast|audiobook|film|movie|series)",
    "(play|put on) (white noise|rain sounds|a lullaby|lullabies|whale song|sleep sounds)",
)
"""Sentences for films and sounds."""
PLAY_STATION = (
    "play the radio station [{search_query}]",
    "tune [in] to {search_query}",
    "(tune|switch|turn|change|go) (in to|to|over to|it to) (radio {search_query}|channel "
    "{search_query}|classic fm|the bbc|bbc {search_query}|the news channel|another "
    "station)",
    "(change|switch) the (station|channel) [to {search_query}]",
    "(next|another|different|previous) (station|channel)",
)
"""Sentences for radio stations."""
NO_MEDIA = "I can't play music or films by name yet."
