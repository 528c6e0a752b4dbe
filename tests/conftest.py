"""What all tests share: where the mirror is, and skips with their reason."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# How fast examples are drawn says something of the machine and nothing of the code.
settings.register_profile(
    "any-machine", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("any-machine")


def pytest_collection_modifyitems(items):
    if not os.environ.get("GRAMWORKS_MIRROR"):
        skip = pytest.mark.skip(reason="needs the data mirror; set GRAMWORKS_MIRROR to it")
        for item in items:
            if "mirror" in item.keywords:
                item.add_marker(skip)


@pytest.fixture(scope="session")
def mirror():
    """The data mirror: a folder."""
    return str(Path(os.environ["GRAMWORKS_MIRROR"]).resolve())
