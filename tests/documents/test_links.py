"""Links in Markdown files are valid, and the check of the site finds faults."""

import re
import tomllib
from urllib.parse import unquote, urlsplit

from tests.documents import EACH_PAGE, ROOT, listed
from tests.documents.site import faults

LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)")
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)


def broken(path, text):
    """Links to missing files and, on the site's pages, to files outside the site."""
    found = [urlsplit(address) for address in LINK.findall(CODE.sub("", text))]
    local = [link.path for link in found if not link.scheme and link.path]
    targets = {link: (path.parent / unquote(link)).resolve() for link in local}
    inside = ROOT / "docs" if path.is_relative_to(ROOT / "docs") else ROOT
    return [link for link, target in targets.items() if not target.exists() or not target.is_relative_to(inside)]


@EACH_PAGE
def test_links_lead_to_files(path):
    assert not broken(path, path.read_text(encoding="utf-8"))


def test_broken_links_are_found():
    text = "[a](README.md) [b](nothing.md#x) ![c](docs/none.svg) `[d](e.md)` [f](https://example.org/g)\n```\n[h](i)\n```\n"
    assert broken(ROOT / "README.md", text) == ["nothing.md", "docs/none.svg"]
    assert broken(ROOT / "docs" / "core.md", "[a](design.md) [b](../README.md)") == ["../README.md"]


def named(entry):
    """The pages of an entry of the navigation."""
    if isinstance(entry, str):
        return [entry]
    return [page for part in (entry.values() if isinstance(entry, dict) else entry) for page in named(part)]


def test_every_page_is_in_the_navigation():
    project = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]
    pages = named(project["nav"])
    there = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    git = listed()
    if git is not None:  # pages that are not tracked yet may be missing
        there &= {path.removeprefix("docs/") for path in git if path.startswith("docs/")} | set(pages)
    assert sorted(pages) == sorted(there)
    moved = project["plugins"]["redirects"]["redirect_maps"]
    assert not moved.keys() & there and set(moved.values()) <= there


def test_faults_of_a_site_are_found(tmp_path):
    assert faults(tmp_path) == [f"{tmp_path}: no pages"]
    (tmp_path / "a.png").write_bytes(b"")
    good = '<a href="#there" id="there">x</a><a href="https://example.org">y</a><img src="a.png">'
    said = {
        good: "",
        '<a href="none.html">x</a>': "leads nowhere",
        '<a href="#none">x</a>': "an unknown anchor",
        '<a href="../none.html">x</a>': "leads out of the site",
        '<script src="https://cdn.example.org/x.js"></script>': "would load",
        '<link rel="preconnect" href="https://fonts.example.org">': "would load",
        "<style>@import 'https://cdn.example.org/x.css';</style>": "would load",
        '<p style="background: url(https://example.org/x.png)">': "would load",
        '<img src="a.png" srcset="https://example.org/b.png 2x">': "would load",
        ":class:<code>Batch</code>": "a Sphinx role",
    }
    for body, wanted in said.items():
        (tmp_path / "index.html").write_text(f"<html><head></head><body>{body}</body></html>")
        found = faults(tmp_path)
        assert wanted in found[0] if wanted else not found
