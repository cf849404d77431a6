"""MPD by its own protocol, which is lines of text: it is one media player of the home.

`session` speaks it, `commands` says what is to happen, `reports` what has happened, `library` what
music there is. `link` keeps the connection.
"""
