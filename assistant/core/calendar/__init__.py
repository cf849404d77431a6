"""Events in time: what an iCalendar event repeats by, and when it takes place."""
