"""Property tests do not fail because a machine is shared: speed is measured in tests/benchmarks, not here."""

from hypothesis import settings

from tests.component_scan import _components_are_looked_for_once  # noqa: F401

settings.register_profile("shared", deadline=None)
settings.load_profile("shared")
