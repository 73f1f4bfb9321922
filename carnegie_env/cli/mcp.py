"""`carnegie-env mcp`: games as tools of the Model Context Protocol, for language models (docs/text.md)."""

from __future__ import annotations

import argparse

from carnegie_env.cli.common import add_allow, check_allowed, listen

LOCAL = "127.0.0.1"
NO_EXTRA = "the server needs the official SDK: pip install 'carnegie_env[mcp]'"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `mcp`."""
    add = parser.add_argument
    add("--http", type=int, metavar="PORT", help="serve http://ADDRESS:PORT/mcp instead of standard input and output")
    text = f"address to listen on (default: {LOCAL}, which only this computer can reach)"
    add("--host", metavar="ADDRESS", help=text)
    add_allow(add)


def mcp(given: argparse.Namespace) -> None:
    """Serve until the client closes standard input, or until Ctrl-C."""
    if given.http is not None and not 1 <= given.http <= 65_535:
        raise ValueError(f"--http must be a port from 1 to 65535, not {given.http}")
    if given.host is not None and given.http is None:
        raise ValueError("--host needs --http PORT: without it the server uses standard input and output")
    check_allowed(given.allow)
    if given.http is not None:
        listen(given.host or LOCAL, given.http, "choose another one with --http").close()  # the SDK would only log it
    try:
        from carnegie_env.mcp.server import make_server
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("mcp"):
            raise
        raise ValueError(f"{NO_EXTRA} ({error})") from None
    server = make_server(given.allow)
    if given.http is None:
        server.run("stdio")
    else:
        server.run("streamable-http", host=given.host or LOCAL, port=given.http)
