"""Hatchling's hook: a wheel contains the library of compiled loops if `make engine` has built it, else it is pure."""

from __future__ import annotations

import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Hook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the library, and says which platform the wheel is for."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        library = Path(self.root, "carnegie_env", "_engine.abi3.so")
        if version != "standard" or not library.exists():
            return
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["pure_python"] = False
        build_data["tag"] = f"cp311-abi3-{platform}"
        build_data["force_include"][str(library)] = "carnegie_env/_engine.abi3.so"
