"""The English language: words as data, and the few functions that depend on them.

It imports nothing of ours, so another language is another folder with these modules. The code of
`nlu/values` and the sentences of skills are English too, but are kept where they are used.
"""

LANGUAGE = "en"
"""The code of the one language that is understood and spoken."""
