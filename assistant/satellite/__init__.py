"""A microphone and a loudspeaker that serve a base elsewhere: another Hark, or Home Assistant."""
