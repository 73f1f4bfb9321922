"""`carnegie-env serve`: a page in the browser, to play, watch and analyse."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=int, default=0, metavar="N", help="of the server (default: one that is free)")
    parser.add_argument("--host", default="127.0.0.1", metavar="ADDRESS", help="that it listens at (default: loopback)")
    parser.add_argument("--data", metavar="PATH", default="games.sqlite", help="file of the games")


def serve(given: argparse.Namespace) -> None:
    import socket

    import uvicorn

    from carnegie_env.web.app import make_app
    from carnegie_env.web.players import Players
    from carnegie_env.web.store import Store

    store = Store(given.data)
    listening = socket.create_server((given.host, given.port))
    port = listening.getsockname()[1]
    app = make_app(store, Players(), hosts=[given.host])
    print(f"http://{given.host}:{port}/#host={store.host_key()}", flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="warning", server_header=False)).run([listening])
