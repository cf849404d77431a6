"""The bridge between the daemon and the network: an MQTT broker, and the servers that skills ask.

It is the only part that speaks to a network; `network` serves the skills, `mpd` plays music,
`mpris` commands the players of a session.

MQTT's topics follow Home Assistant and zigbee2mqtt. Commands go to PREFIX/domain/object/set and are
never retained: a device that comes back must not obey an old command. A state goes with QoS 1, and
may be repeated; what must not be, such as "next", with QoS 0. States come from
PREFIX/domain/object/state, which devices retain; only the topics of the home's own devices are
subscribed to. PREFIX/bridge/state, retained and the connection's last will, tells others whether
the bridge is "online" or "offline". Devices may also announce topics of their own: `discovery`.
"""
