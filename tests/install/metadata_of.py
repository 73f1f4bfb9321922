"""Prints the metadata of a source archive or a wheel as JSON: `python metadata_of.py ARCHIVE`; needs `packaging`.

It fails if a field violates the standards, as an upload to a package index would, or if the package's page would be
empty.
"""

import json
import sys
import tarfile
import zipfile
from pathlib import Path

from packaging.metadata import Metadata


def metadata(path: Path) -> bytes:
    """The metadata file of an archive."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            (name,) = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
            return wheel.read(name)
    with tarfile.open(path) as archive:
        (name,) = [name for name in archive.getnames() if name.count("/") == 1 and name.endswith("/PKG-INFO")]
        member = archive.extractfile(name)
        assert member is not None
        return member.read()


if __name__ == "__main__":
    found = Metadata.from_email(metadata(Path(sys.argv[1])), validate=True)
    assert found.summary and found.description and found.classifiers, "no summary, no description, or no classifiers"
    names = ("name", "license_expression", "license_files", "description_content_type")
    told = {name: getattr(found, name) for name in names}
    print(json.dumps(told | {"version": str(found.version), "requires_python": str(found.requires_python)}))
