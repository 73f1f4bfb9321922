"""Parquet readers and Minari, if they are installed; `make clients ARGS="readers minari"` installs them."""

import importlib.util

import pytest

pytest.importorskip("pyarrow")

from tests.clients import child

NEEDS = {"readers": ("polars", "pandas", "datasets"), "minari": ("minari", "h5py")}
MISSING = {
    client: [name for name in names if importlib.util.find_spec(name) is None] for client, names in NEEDS.items()
}


@pytest.mark.parametrize("client", NEEDS)
def test_a_client(client, monkeypatch, tmp_path):
    """Run the checks whose packages are installed; for Minari all or none."""
    if client == "minari" and MISSING[client]:
        pytest.skip(f"not installed: {', '.join(MISSING[client])}")
    monkeypatch.chdir(tmp_path)
    checks = dict(child.checks(client))
    assert len(checks) >= 2
    done = 0
    for name, check in checks.items():
        if not any(f" {missing}" in f" {name.lower()}" for missing in MISSING[client]):
            check()
            done += 1
    assert done >= 1
