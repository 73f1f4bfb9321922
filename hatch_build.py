"""Hatchling's hook: a wheel contains the library of compiled loops if it was built from the present sources, else it is
pure Python.

`make engine` builds the library for this machine. For another platform, CARNEGIE_WHEEL is the folder of its library,
named after its tag (build/engine/win_amd64, from `make wheels`); "pure" leaves the library out.
"""

from __future__ import annotations

import os
import runpy
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Hook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the library, and says which platform the wheel is for."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        package = Path(self.root, "carnegie_env")
        wanted = os.environ.get("CARNEGIE_WHEEL", "")
        if version != "standard" or wanted == "pure":
            return
        folder = Path(wanted) if wanted else package
        platform = folder.name if wanted else sysconfig.get_platform().replace("-", "_").replace(".", "_")
        libraries = [file for file in (folder / "_engine.abi3.so", folder / "_engine.pyd") if file.exists()]
        sources = runpy.run_path(str(package / "core" / "sources.py"))["sources"]()
        if not libraries or sources.encode() not in libraries[0].read_bytes():
            if wanted:
                raise FileNotFoundError(f"{folder} has no library that was built from the present sources")
            return
        build_data["pure_python"] = False
        build_data["tag"] = f"cp311-abi3-{platform}"
        build_data["force_include"][str(libraries[0])] = f"carnegie_env/{libraries[0].name}"
