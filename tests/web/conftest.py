"""A server for the tests of a module."""

from collections.abc import Iterator

import pytest

from tests.web.served import Here


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Here]:
    """One without limits of rate."""
    with Here(tmp_path_factory.mktemp("games")) as here:
        yield here
