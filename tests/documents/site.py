"""Builds the site and looks at it: `make docs` (or `python -m tests.documents.site`).

Zensical checks links and anchors between pages and builds with every warning an error; what Griffe says of docstrings
is one here, too. Then all pages are read: links to files and places that are not there, and anything that a browser
would fetch from elsewhere, are errors.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from tests.documents import ROOT

SITE = ROOT / "site"
FETCHED = {  # what a browser loads by itself: (tag, attribute)
    ("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("source", "srcset"), ("img", "srcset"),
    ("video", "src"), ("audio", "src"), ("object", "data"), ("embed", "src"), ("track", "src"), ("use", "href"),
    ("use", "xlink:href"), ("image", "href"),
}  # fmt: skip
LINKS = FETCHED | {("a", "href"), ("link", "href"), ("area", "href")}
ROLE_LEFT = re.compile(r":(?:attr|class|data|exc|func|meth|mod):\s*<code")
LOADED_RELS = {"stylesheet", "icon", "preload", "prefetch", "preconnect", "dns-prefetch", "modulepreload", "manifest"}
FROM_CSS = re.compile(r"""(?:url\(\s*|@import\s+)['"]?((?:https?:)?//[^'")\s]+)""")


class Page(HTMLParser):
    """What a page links to, what it makes the browser fetch, the places in it.

    Args:
        html: its text.

    Attributes:
        links: addresses, unchanged, of links and of fetched files.
        fetched: those that the browser loads by itself.
        places: ids of elements.
        roles: whether a name of a docstring stands there in Sphinx's spelling: tests/documents/roles.py missed it.
    """

    def __init__(self, html: str) -> None:
        super().__init__()
        self.roles = ROLE_LEFT.search(html) is not None
        self.links: list[str] = []
        self.fetched: list[str] = []
        self.places: set[str] = set()
        self._style = False
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element: its id, its links, its style."""
        given = {name: value or "" for name, value in attrs}
        self.places.update(given[name] for name in ("id", "name") if name in given)
        self._style = tag == "style"
        self.fetched += FROM_CSS.findall(given.get("style", ""))
        for name, value in given.items():
            if (tag, name) not in LINKS:
                continue
            addresses = [part.split()[0] for part in value.split(",") if part.split()] if name == "srcset" else [value]
            self.links += addresses
            rels = set(given.get("rel", "").split())
            if (tag, name) in FETCHED or (tag == "link" and rels & LOADED_RELS):
                self.fetched += addresses

    def handle_data(self, data: str) -> None:
        """Text; of a style sheet, what it loads."""
        if self._style:
            self.fetched += FROM_CSS.findall(data)


def faults(site: Path) -> list[str]:
    """What is wrong with the pages of a site, in words: links that lead nowhere, things that come from elsewhere."""
    read = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    found = [] if read else [f"{site}: no pages"]
    for path, page in read.items():
        name = path.relative_to(site).as_posix()
        found += [f"{name}: a browser would fetch {address}" for address in page.fetched if is_elsewhere(address)]
        found += [f"{name}: a name as Sphinx writes it, which is no link"] * page.roles
        for address in dict.fromkeys(page.links):
            if is_elsewhere(address) or urlsplit(address).scheme:
                continue
            parts = urlsplit(address)
            base = site if parts.path.startswith("/") else path.parent
            target = (base / unquote(parts.path).lstrip("/")).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            if not target.is_relative_to(site.resolve()):
                found.append(f"{name}: {address} leads out of the site")
            elif not target.is_file():
                found.append(f"{name}: {address} leads nowhere")
            elif parts.fragment and target in read and unquote(parts.fragment) not in read[target].places:
                if not parts.fragment.startswith("__"):  # of the theme's own script
                    found.append(f"{name}: {address} names a place that is not there")
    for path in sorted(site.rglob("*.css")):
        outside = FROM_CSS.findall(path.read_text(encoding="utf-8"))
        found += [f"{path.relative_to(site).as_posix()}: a browser would fetch {address}" for address in outside]
    return found


def is_elsewhere(address: str) -> bool:
    """Whether an address is that of another server."""
    return bool(urlsplit(address).netloc)


def main() -> int:
    """Build and look; returns 1 if anything is wrong."""
    command = [sys.executable, "-m", "zensical", "build", "--clean", "--strict"]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(done.stdout, end="")
    warned = [line for line in done.stdout.splitlines() if line.lower().startswith(("griffe", "warning"))]
    if done.returncode or warned:
        print(f"the site has warnings ({len(warned)} of docstrings); zensical ended with {done.returncode}")
        return 1
    found = faults(SITE)
    print(*found, sep="\n", end="\n" if found else "")
    pages = len(list(SITE.rglob("*.html")))
    size = sum(path.stat().st_size for path in SITE.rglob("*") if path.is_file())
    print(json.dumps({"pages": pages, "faults": len(found), "MB": round(size / 1e6, 1)}))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
