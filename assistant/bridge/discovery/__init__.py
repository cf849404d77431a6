"""Devices that announce themselves on the MQTT broker, in the format of Home Assistant's discovery.

A device publishes, retained, what it is and which topics it has: `announcements` reads that,
`kinds` make of it what its topics mean, `devices` names it, `registry` keeps all of them and their
states, and `link` connects them with the broker and describes the home to the daemon.
"""
