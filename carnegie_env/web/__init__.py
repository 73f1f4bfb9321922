"""`carnegie-env serve`: games in a browser; docs/server.md says how it is built and what its API is (extra `[web]`)."""
