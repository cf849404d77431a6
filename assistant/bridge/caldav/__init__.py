"""A calendar's collection by CalDAV (RFC 4791), which is kept in step with the skills' calendar.

`multistatus` reads the answers, `session` asks, and `link` says how the collection differs from
what the skills have. The skills keep that durably and decide; nothing is kept here.
"""
