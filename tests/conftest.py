"""Property tests do not fail because a machine is shared: speed is measured in tests/benchmarks, not here."""

from hypothesis import settings

settings.register_profile("shared", deadline=None)
settings.load_profile("shared")
