"""What people may say: sentences of a grammar, drawn for the ear, and as examples for the models.

`source` draws written sentences of one claim, `sampling` those of many, as they are spoken
(`spoken`); `free_text` stands where any text may, `composed` are sentences that only the mind's
parts know. `speakable` weighs them by `usage`, with a word for each of `value_classes`.
"""
