"""Home Assistant's own WebSocket API: its areas, devices and states, and its service calls.

Each connection proves itself by the access token, subscribes to what changes, and then reads all
states, so that none is missed in between. What Home Assistant has is described to the daemon, whose
names it becomes.
"""
