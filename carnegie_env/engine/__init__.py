"""The build of the library of compiled loops, `carnegie_env._engine`; not installed with the package."""
