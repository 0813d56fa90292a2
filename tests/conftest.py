"""Settings of all tests. Hypothesis has no deadline: the reference engine is slow, and machines are shared."""

import signal

from hypothesis import settings

settings.register_profile("eightfold", deadline=None)
settings.load_profile("eightfold")

# A shell starts what runs in the background with Ctrl-C ignored, which processes inherit; the tests of Ctrl-C would wait
# for ever.
signal.signal(signal.SIGINT, signal.default_int_handler)
