"""The published dataset, and Croissant metadata with responsible-AI fields (MLCommons Croissant 1.0 and RAI 1.0)."""

from __future__ import annotations

import argparse
import datetime
import json
import re
from pathlib import Path
from typing import Any

from carnegie_env.benchmark import tasks
from carnegie_env.cli.common import progress
from carnegie_env.core import files
from carnegie_env.core.validation import shortened

CARD_FILE = "_croissant.json"  # readers of Parquet folders skip names that begin with _
PARQUET = "application/x-parquet"
AUTHORS = "The carnegie_env authors"
MIT = "https://spdx.org/licenses/MIT.html"
SEED = 2**42  # of the published games; no task and no training uses it

AGENTS = {"value": "value", "search": "search:candidates=4,depth=4,evals=1000"}
# The parts of the published dataset: games, the agent on all seats, and options; 18 MB together.
PARTS: dict[str, tuple[int, str, dict[str, Any]]] = {
    "duel-value": (600, "value", {"num_players": 2}),
    "duel-search": (500, "search", {"num_players": 2}),
    "solo-expert-value": (600, "value", {"num_players": 1, "difficulty": "expert"}),
    "solo-expert-search": (600, "search", {"num_players": 1, "difficulty": "expert"}),
    "table-4-search": (100, "search", {"num_players": 4}),
}

CONTEXT: dict[str, Any] = {
    "@language": "en", "@vocab": "https://schema.org/", "citeAs": "cr:citeAs", "column": "cr:column",
    "conformsTo": "dct:conformsTo", "cr": "http://mlcommons.org/croissant/", "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"}, "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/", "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"}, "extract": "cr:extract", "field": "cr:field",
    "fileObject": "cr:fileObject", "fileProperty": "cr:fileProperty", "fileSet": "cr:fileSet", "format": "cr:format",
    "includes": "cr:includes", "isLiveDataset": "cr:isLiveDataset", "jsonPath": "cr:jsonPath", "key": "cr:key",
    "md5": "cr:md5", "parentField": "cr:parentField", "path": "cr:path", "recordSet": "cr:recordSet",
    "references": "cr:references", "regex": "cr:regex", "repeated": "cr:repeated", "replace": "cr:replace",
    "samplingRate": "cr:samplingRate", "sc": "https://schema.org/", "separator": "cr:separator",
    "source": "cr:source", "subField": "cr:subField", "transform": "cr:transform",
}  # fmt: skip

# Columns with their types and meanings, except `agents`: mlcroissant reads no lists of structs. The last two are only
# there with values.
FIELDS = (
    ("seed", "sc:Integer", "seed of the deal"),
    ("options", "sc:Text", "all options of the game, JSON"),
    ("actions", "sc:Integer", "all decisions in order, as action numbers"),
    ("scores", "sc:Integer", "final score of each side, the automatic opponent last"),
    ("result", "sc:Integer", "number of sides ahead of each side"),
    ("decisions", "sc:Integer", "number of decisions"),
    ("signature", "sc:Integer", "signature of the engine"),
    ("values", "sc:Float", "for each decision the agent's values of the legal actions, in points"),
    ("visits", "sc:Integer", "for each decision the search's visits of the legal actions"),
)


def add_card_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="a dataset, or a folder of datasets")
    parser.add_argument("--url", required=True, help="the address at which it is published")
    parser.add_argument("--creator", required=True, metavar="NAME", help="who publishes it")
    parser.add_argument("--license", required=True, metavar="URL", help=f"the address of its licence, such as {MIT}")
    parser.set_defaults(run=lambda given: print(write(given.folder, given.url, given.creator, given.license)))


def add_dataset_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    text = "folder of the datasets; an interrupted command continues there"
    add("--out", type=Path, required=True, metavar="FOLDER", help=text)
    add("--share", type=float, default=1.0, metavar="S", help="share of the games to make, above 0 (default: 1)")
    add("--processes", type=int, metavar="N", help="worker processes (default: one per core)")
    add("--url", required=True, help="the address at which it will be published")
    parser.set_defaults(run=make)


# ---------------------------------------------------------------- the published dataset
def make(given: argparse.Namespace) -> None:
    """Generate the published dataset and its card."""
    from carnegie_env import collection
    from carnegie_env.workers import generate

    if not 0 < given.share <= 1:
        raise ValueError(f"--share must be above 0 and at most 1, not {given.share}")
    _check(given.url, AUTHORS, MIT)
    game = collection.find(collection.DEFAULT)
    size = 0
    for number, (name, (games, label, options)) in enumerate(PARTS.items()):
        agents = ((label, AGENTS[label]),)
        tables = ((0,) * options["num_players"],)
        wanted = max(round(games * given.share), 1)
        plan = generate.Plan(game, dict(options), agents, wanted, SEED + number * tasks.BLOCK, tables, None, True)
        with progress("games") as watch:
            done = generate.generate(plan, given.out / name, processes=given.processes, watch=watch)
        bytes_here = sum(shard.bytes for shard in done.shards)
        size += bytes_here
        print(f"{given.out / name}: {done.games} games, {bytes_here:,} bytes", flush=True)
    print(f"{write(given.out, given.url, AUTHORS, MIT)}: {size:,} bytes of games")


# ---------------------------------------------------------------- Croissant
def write(folder: Path, url: str, creator: str, license: str) -> Path:
    """Write the metadata of a dataset, or of a folder of datasets; returns the file.

    Args:
        folder: the datasets.
        url: the address at which it is published.
        creator: who publishes it.
        license: the address of its licence.

    Raises:
        ValueError: there is no dataset, or one without a finished game; an address or the name is not valid.
    """
    path = folder / CARD_FILE
    files.write_whole(path, json.dumps(croissant(folder, url, creator, license), indent=1) + "\n")
    return path


def croissant(folder: Path, url: str, creator: str, license: str) -> dict[str, Any]:
    """The metadata in JSON-LD, with the same arguments and errors as :func:`write`."""
    from carnegie_env.datasets import manifest

    _check(url, creator, license)
    if manifest.path_of(folder).exists() or folder.is_file():  # a file is refused when it is read
        parts = {folder.resolve().name: folder}
    else:
        parts = {each.name: each for each in sorted(folder.glob("*/")) if manifest.path_of(each).exists()}
    if not parts:
        raise ValueError(f"{folder} is not a dataset, and has no folders that are")
    found = {name: manifest.read(part) for name, part in parts.items()}
    distribution, records = [], []
    for name, each in found.items():
        if not each.shards:
            raise ValueError(
                f"{parts[name]}: the dataset has no finished game; continue it with `carnegie-env generate --resume`"
            )
        place = "" if parts[name] == folder else f"{name}/"
        for shard in each.shards:
            distribution.append(
                {
                    "@type": "cr:FileObject", "@id": f"{name}-{shard.name}", "name": shard.name,
                    "contentUrl": f"{place}{shard.name}", "encodingFormat": PARQUET,
                    "contentSize": f"{shard.bytes} B", "sha256": shard.sha256,
                    "description": f"games {shard.first} to {shard.first + shard.games - 1}",
                }
            )  # fmt: skip
            records.append(_record_set(name, shard.name, f"{name}-{shard.name}", each))
    games = sum(shard.games for each in found.values() for shard in each.shards)  # those that are finished
    agents = ", ".join(dict.fromkeys(agent.name for each in found.values() for agent in each.agents))
    valued = ", and the agents' values and search visits of all legal actions"
    valued = valued if any(each.values for each in found.values()) else ""
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": ["http://mlcommons.org/croissant/1.0", "http://mlcommons.org/croissant/RAI/1.0"],
        "name": folder.resolve().name,
        "description": (
            f"{games} complete games of {', '.join(sorted({each.game for each in found.values()}))} between {agents}: "
            f"seeds, decisions, results{valued}."
        ),
        "url": url,
        "license": license,
        "creator": {"@type": "Organization", "name": creator},
        "datePublished": datetime.date.today().isoformat(),
        "version": "1.0.0",
        "citeAs": f"@software{{carnegie_env, author={{{{{AUTHORS}}}}}, title={{carnegie_env}}, year={{2026}}}}",
        "keywords": ["board games", "reinforcement learning", "self-play", "search"],
        "rai:dataCollection": f"Played by programs: {agents}, as `carnegie-env generate` describes.",
        "rai:dataCollectionType": "Software collection",
        "rai:dataUseCases": "Imitation learning, value learning and offline reinforcement learning for board games.",
        "rai:dataLimitations": (
            "Play of a few programs, not of people; weaker than the best known play. Some component values are "
            f"reconstructed (edition {', '.join(sorted({each.edition for each in found.values()}))})."
        ),
        "rai:dataBiases": "Positions are those that these programs reach; rare plans of human players are missing.",
        "rai:personalSensitiveInformation": "None: all games were played by programs.",
        "rai:dataReleaseMaintenancePlan": "A corrected component value makes a new edition and a new dataset.",
        "distribution": distribution,
        "recordSet": records,
    }  # fmt: skip


def _check(url: str, creator: str, license: str) -> None:
    """Raise a ValueError for addresses that are not on the web, or an empty name."""
    for name, address in (("url", url), ("license", license)):
        if re.fullmatch(r"https?://[^\s/]\S*", address) is None:
            raise ValueError(f"{name} must be an address such as {MIT}, not {shortened(address)}")
    if not creator.strip():
        raise ValueError(f"creator must be a name, not {shortened(creator)}")


def _record_set(part: str, shard: str, file: str, manifest: Any) -> dict[str, Any]:
    """The records of a shard: one for each game."""
    name = f"{part}-{shard.removesuffix('.parquet')}"
    repeated = ("actions", "scores", "result", "values", "visits")
    fields = [
        {
            "@type": "cr:Field", "@id": f"{name}/{column}", "name": f"{name}/{column}", "description": text,
            "dataType": kind, **({"repeated": True} if column in repeated else {}),
            "source": {"fileObject": {"@id": file}, "extract": {"column": column}},
        }
        for column, kind, text in (FIELDS if manifest.values else FIELDS[:-2])
    ]  # fmt: skip
    seated = ", ".join(
        f"{agent.name} ({agent.agent}{f', version {agent.version}' if agent.version else ''})"
        for agent in manifest.agents
    )
    text = f"games of {part} with {json.dumps(manifest.options)}, one record for each game; agents: {seated}"
    return {"@type": "cr:RecordSet", "@id": name, "name": name, "description": text, "field": fields}
