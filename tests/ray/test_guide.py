"""The commands of docs/cluster.md for two nodes on one machine, and the cluster file against Ray's schema."""

import json
import re
import socket
import subprocess
import uuid
from pathlib import Path

import pytest

pytest.importorskip("ray")

from tests.paths import ROOT
from tests.ray.nodes import MARK, TIMEOUT, environment, kill

pytestmark = pytest.mark.ray
SECTION = re.compile(r"^## Two nodes by hand\n.*?^```\n(.*?)^```", re.MULTILINE | re.DOTALL)


def test_the_commands_of_the_guide(tmp_path):
    (script,) = SECTION.findall((ROOT / "docs" / "cluster.md").read_text(encoding="utf-8"))
    assert script.count("6379") == 4 and script.rstrip().endswith("\nray stop")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    # This machine may have other clusters, so the port is a free one, and `ray stop` is replaced by killing the nodes.
    script = script.replace("6379", port).replace("\nray stop", "")
    mark = uuid.uuid4().hex
    try:
        done = subprocess.run(
            ["bash", "-euxo", "pipefail", "-c", script], env=environment(**{MARK: mark}), cwd=tmp_path,
            capture_output=True, text=True, timeout=10 * TIMEOUT,
        )  # fmt: skip
    finally:
        kill(mark)
    assert done.returncode == 0, done.stdout + done.stderr
    for name in ("one", "two"):
        assert re.search(rf"^{name} +[\d,]+ games +[\d,.]+ games/s", done.stderr, re.MULTILINE), done.stderr
    assert {path.name for path in (tmp_path / "games").glob("*.parquet")} == {
        f"games-0000{k}.parquet" for k in range(3)
    }
    assert len((tmp_path / "match.jsonl").read_text().splitlines()) == 201


def test_the_cluster_file_fits_rays_schema():
    import jsonschema
    import ray
    import yaml

    schema = json.loads((Path(ray.__file__).parent / "autoscaler" / "ray-schema.json").read_text())
    config = yaml.safe_load((ROOT / "docs" / "examples" / "cluster.yaml").read_text(encoding="utf-8"))
    jsonschema.validate(config, schema)
    assert config["head_node_type"] in config["available_node_types"]
    players = [kind for kind in config["available_node_types"].values() if kind["resources"]["CPU"]]
    assert sum(kind["max_workers"] for kind in players) <= config["max_workers"]
    config["head_start_rays_commands"] = []
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(config, schema)
