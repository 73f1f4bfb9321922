"""The server of `carnegie-env mcp`: games as tools of the Model Context Protocol (docs/text.md)."""
