"""The page in a real browser: `make test-web`."""
