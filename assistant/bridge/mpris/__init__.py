"""Players of the user's session by MPRIS, over D-Bus: together they are one media player.

`session` speaks to them, `commands` says what is to happen, `reports` what has happened. `link`
keeps the connection. The specification: https://specifications.freedesktop.org/mpris-spec/2.2.
"""
