"""Installs the skills of others, each into a folder of its own; nothing of one runs unconfined.

source        a folder, a wheel or a PyPI name → what is in it
contents      which files a skill may bring, and how much
folder, wheel what a folder or a wheel holds, checked; nothing of it is run
download      wheels from PyPI, by pip in a process of its own
trial         its tests, in its sandbox, and its sentences beside those of the others
store         its place in the state folder, taken in one step
"""
