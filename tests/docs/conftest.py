"""What is made once for all set-ups; the tests that use it share an xdist group."""

import pytest

from tests.docs.setups import offline, write_own_repository


@pytest.fixture(scope="session")
def own(tmp_path_factory):
    """The git repository that a stranger has shardlang from."""
    folder = tmp_path_factory.mktemp("shardlang")
    write_own_repository(folder)
    return folder


@pytest.fixture(scope="session")
def environment(tmp_path_factory):
    """The environment in which pre-commit installs hooks without a package index."""
    return offline(tmp_path_factory.mktemp("cache"))
