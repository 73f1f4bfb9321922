"""The agents: import them as `carnegie_env.agents`. In a checkout, `carnegie_env/agents` is a link to this folder."""

if __name__ == "agents":  # the package's name in a checkout before 0.2; to be removed in 0.3
    import importlib
    import importlib.abc
    import importlib.machinery
    import sys
    import warnings
    from types import ModuleType

    warnings.warn("import carnegie_env.agents instead of agents", DeprecationWarning, stacklevel=2)

    class _Alias(importlib.abc.MetaPathFinder, importlib.abc.Loader):
        """Finds `agents.X` as `carnegie_env.agents.X`, so that no module is loaded twice."""

        def find_spec(self, name: str, *_: object) -> importlib.machinery.ModuleSpec | None:
            return importlib.machinery.ModuleSpec(name, self) if name.startswith("agents.") else None

        def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
            return importlib.import_module(f"carnegie_env.{spec.name}")

        def exec_module(self, module: ModuleType) -> None:
            """Nothing to do: it is loaded."""

    sys.meta_path.insert(0, _Alias())
