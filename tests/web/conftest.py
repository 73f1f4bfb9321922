"""A server for the tests of one module."""

from collections.abc import Iterator

import pytest

from tests.web.served import Here


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Here]:
    """The application without rate limits."""
    with Here(tmp_path_factory.mktemp("games")) as here:
        yield here
