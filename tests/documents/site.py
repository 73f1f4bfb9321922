"""Builds the site and checks it: `make docs` (or `python -m tests.documents.site`).

Zensical checks links and anchors between pages. Its warnings and Griffe's are errors here. Then all pages are read:
links to missing files and anchors, Sphinx roles, and anything that a browser would load from another server are errors.
"""

import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from tests.documents import ROOT

SITE = ROOT / "site"
LOADED = {  # (tag, attribute) of addresses that a browser loads
    ("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("source", "srcset"), ("img", "srcset"),
    ("video", "src"), ("audio", "src"), ("object", "data"), ("embed", "src"), ("track", "src"), ("use", "href"),
    ("use", "xlink:href"), ("image", "href"),
}  # fmt: skip
LINKS = LOADED | {("a", "href"), ("link", "href"), ("area", "href")}
ROLE = re.compile(r":(?:attr|class|data|exc|func|meth|mod):\s*<code")
LOADED_RELS = {"stylesheet", "icon", "preload", "prefetch", "preconnect", "dns-prefetch", "modulepreload", "manifest"}
FROM_CSS = re.compile(r"""(?:url\(\s*|@import\s+)['"]?((?:https?:)?//[^'")\s]+)""")


class Page(HTMLParser):
    """The addresses and anchors of a page.

    Attributes:
        links: addresses of links and of loaded files.
        loaded: addresses that a browser loads.
        anchors: ids of elements.
    """

    def __init__(self, html: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self._in_style = False
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.anchors.update(given[name] for name in ("id", "name") if name in given)
        self._in_style = tag == "style"
        self.loaded += FROM_CSS.findall(given.get("style", ""))
        for name in given.keys() & {name for kind, name in LINKS if kind == tag}:
            value = given[name]
            addresses = [part.split()[0] for part in value.split(",") if part.split()] if name == "srcset" else [value]
            self.links += addresses
            if (tag, name) in LOADED or (tag == "link" and {*given.get("rel", "").split()} & LOADED_RELS):
                self.loaded += addresses

    def handle_data(self, data: str) -> None:
        if self._in_style:
            self.loaded += FROM_CSS.findall(data)


def fault_of(address: str, path: Path, site: Path, pages: dict[Path, Page]) -> str:
    """The fault of a link on a page, or ""."""
    parts = urlsplit(address)
    if parts.netloc or parts.scheme:
        return ""
    base = site if parts.path.startswith("/") else path.parent
    target = (base / unquote(parts.path).lstrip("/")).resolve() if parts.path else path
    if target.is_dir():
        target /= "index.html"
    if not target.is_relative_to(site.resolve()):
        return f"{address} leads out of the site"
    if not target.is_file():
        return f"{address} leads nowhere"
    anchor = unquote(parts.fragment)
    if anchor and target in pages and anchor not in pages[target].anchors and not anchor.startswith("__"):
        return f"{address} has an unknown anchor"  # "__" is the theme's script
    return ""


def faults(site: Path) -> list[str]:
    """The faults of a site's pages, as texts."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(site.rglob("*.html"))}
    pages = {path: Page(text) for path, text in texts.items()}
    loaded = {path: page.loaded for path, page in pages.items()}
    loaded |= {path: FROM_CSS.findall(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.css"))}
    found = [] if pages else [f"{site}: no pages"]
    for path, addresses in loaded.items():
        name = path.relative_to(site).as_posix()
        found += [f"{name}: a browser would load {address}" for address in addresses if urlsplit(address).netloc]
    for path, page in pages.items():
        name = path.relative_to(site).as_posix()
        found += [f"{name}: a Sphinx role that is not a link"] * bool(ROLE.search(texts[path]))
        wrong = [fault_of(address, path, site, pages) for address in dict.fromkeys(page.links)]
        found += [f"{name}: {fault}" for fault in wrong if fault]
    return found


def main() -> int:
    """Build and check; returns 1 if there are faults."""
    command = [sys.executable, "-m", "zensical", "build", "--clean", "--strict"]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    print(done.stdout, end="")
    warnings = [line for line in done.stdout.splitlines() if line.lower().startswith(("griffe", "warning"))]
    if done.returncode or warnings:
        print(f"the site has warnings ({len(warnings)} of docstrings); exit code of zensical: {done.returncode}")
        return 1
    found = faults(SITE)
    print(*found, sep="\n", end="\n" if found else "")
    size = sum(path.stat().st_size for path in SITE.rglob("*") if path.is_file())
    print(json.dumps({"pages": len(list(SITE.rglob("*.html"))), "faults": len(found), "MB": round(size / 1e6, 1)}))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
