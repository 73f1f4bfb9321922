"""A release besides the code: workflows, forms, changelog, citation."""

import re
import tomllib
from datetime import date

import pytest
import yaml

from tests import packages
from tests.paths import ROOT

MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
HOST = ROOT / ".github"
WORKFLOWS = sorted((HOST / "workflows").glob("*.yml"))
FORMS = sorted(path for path in (HOST / "ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml")
TARGETS = set(re.findall(r"^([a-z][a-z-]*):", MAKEFILE, re.MULTILINE))
MADE = re.compile(r"\bmake((?:\s+\w+=\S+)*)\s+([a-z][\w-]*)")

in_the_repository = pytest.mark.skipif(not HOST.exists(), reason="a source archive has no .github")


@in_the_repository
@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_make_targets_that_exist(path):
    jobs = yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]
    for job in jobs.values():
        assert ("steps" in job) != ("uses" in job)
        assert (path.parents[2] / job.get("uses", "")).exists(), job  # another workflow of the project
    for name, step in [(name, step) for name, job in jobs.items() for step in job.get("steps", [])]:
        assert ("uses" in step) != ("run" in step), (name, step)
        for _, target in MADE.findall(step.get("run", "")):
            assert target in TARGETS, f"{path.name}, {name}: the Makefile has no target {target}"


@in_the_repository
@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.name)
def test_forms_for_issues_have_labelled_fields(path):
    form = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert form["name"] and form["description"] and len({field["id"] for field in form["body"]}) == len(form["body"])
    for field in form["body"]:
        assert field["type"] in {"input", "textarea", "dropdown", "checkboxes"} and field["attributes"]["label"]


def test_make_help_names_every_target():
    phony = re.search(r"\.PHONY: ((?:.*\\\n)*.*)", MAKEFILE)[1].replace("\\\n", " ").split()
    helped = re.findall(r"^([a-z-]+):.* ## ", MAKEFILE, re.MULTILINE)
    assert sorted(helped) == sorted(phony) == sorted(TARGETS)


# ---------------------------------------------------------------- version, changelog, citation
def test_package_and_citation_have_the_same_version():
    assert packages.check_version([]) in packages.stated_versions().values()


def test_a_tag_must_agree_with_package_changelog_and_citation(tmp_path, monkeypatch):
    for name in ("carnegie_env/__init__.py", "CITATION.cff", "CHANGELOG.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text((ROOT / name).read_text(encoding="utf-8"))
    monkeypatch.setattr(packages, "ROOT", tmp_path)
    citation = tmp_path / "CITATION.cff"
    text = re.sub(r"\nversion: .*", "\nversion: 7.1.0", citation.read_text())
    citation.write_text(re.sub(r"\ndate-released: .*", "\ndate-released: 2031-05-17", text))
    with pytest.raises(packages.Failed, match=r"CITATION\.cff has 7\.1\.0"):
        packages.check_version([])
    package = tmp_path / "carnegie_env/__init__.py"
    package.write_text(re.sub(r'__version__ = ".*"', '__version__ = "7.1.0"', package.read_text()))
    assert packages.check_version([]) == "7.1.0"
    with pytest.raises(packages.Failed, match=r"tag v7\.2\.0, but .* has 7\.1\.0"):
        packages.check_version(["v7.2.0"])
    with pytest.raises(packages.Failed, match=r"no line '## \[7\.1\.0\] - YEAR-MONTH-DAY'"):
        packages.check_version(["v7.1.0"])
    changelog = tmp_path / "CHANGELOG.md"
    released = changelog.read_text().replace("## [Unreleased]\n", "## [Unreleased]\n\n## [7.1.0] - 2031-05-18\n", 1)
    changelog.write_text(released)
    with pytest.raises(packages.Failed, match="another date-released"):
        packages.check_version(["v7.1.0"])
    changelog.write_text(released.replace("2031-05-18", "2031-05-17"))
    assert packages.check_version(["v7.1.0"]) == "7.1.0"
    package.write_text("nothing")
    with pytest.raises(packages.Failed, match="has no version"):
        packages.check_version([])


def test_the_changelog_has_the_usual_form():
    """Keep a Changelog: unreleased changes, then versions, newest first, each with kinds of changes."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    heads = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert heads[0] == "[Unreleased]"
    released = packages.release_dates()
    assert heads[1:] == [f"[{version}] - {day}" for version, day in released.items()]
    days = [date.fromisoformat(day) for day in released.values()]
    assert days == sorted(days, reverse=True)
    numbers = [tuple(map(int, version.split("."))) for version in released]
    assert numbers == sorted(numbers, reverse=True)
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        kinds = re.findall(r"^### (.*)$", section, re.MULTILINE)
        assert len(set(kinds)) == len(kinds)
        assert set(kinds) <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
        for kind in re.split(r"^### ", section, flags=re.MULTILINE)[1:]:
            assert re.search(r"^- ", kind, re.MULTILINE), f"{kind.splitlines()[0]} is empty"


def test_the_citation_can_be_read():
    found = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    about = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert found["cff-version"] == "1.2.0" and found["type"] == "software" and found["message"]
    assert found["title"].startswith(f"{about['name']}: ") and found["license"] == about["license"]
    assert [author["name"] for author in found["authors"]] == [author["name"] for author in about["authors"]]
    assert isinstance(found["date-released"], date) and isinstance(found["version"], str)
