"""What is English: words as data, and the few functions that follow from them.

It imports nothing of ours, so another language is another folder with these modules. The code of
`nlu/values` and the sentences of skills are English too and stand where they are used.
"""
