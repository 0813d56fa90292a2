"""Settings of all tests. Hypothesis has no deadline: the reference engine is slow, and machines are shared."""

from hypothesis import settings

settings.register_profile("eightfold", deadline=None)
settings.load_profile("eightfold")
