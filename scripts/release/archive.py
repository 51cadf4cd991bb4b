#!/usr/bin/env python3
"""Put a folder into an archive, the same bytes each time, and print its SHA-256.

Usage:
  scripts/release/archive.py --time SECONDS FOLDER ARCHIVE

ARCHIVE ends in .tar.gz or .zip. All files get this time of modification, in seconds since
1970 (UTC); only the program may be executed. The line printed is one of sha256sum.
"""

import argparse
import gzip
import hashlib
import sys
import tarfile
import time
import zipfile
from pathlib import Path


def mode(path):
    """The permissions of a file in an archive."""
    return 0o755 if path.stem == "carrybit" else 0o644


def write_tar(files, folder, archive, seconds):
    with (
        archive.open("wb") as raw,
        gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=seconds) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar,
    ):
        for path in files:
            entry = tarfile.TarInfo(f"{folder.name}/{path.name}")
            entry.size, entry.mode, entry.mtime = path.stat().st_size, mode(path), seconds
            with path.open("rb") as file:
                tar.addfile(entry, file)


def write_zip(files, folder, archive, seconds):
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in files:
            entry = zipfile.ZipInfo(f"{folder.name}/{path.name}", time.gmtime(seconds)[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            # The upper half is a Unix mode, with the kind of a regular file.
            entry.external_attr = (0o100000 | mode(path)) << 16
            entry.create_system = 3
            packed.writestr(entry, path.read_bytes())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--time", type=int, required=True, metavar="SECONDS")
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("archive", type=Path, metavar="ARCHIVE")
    args = parser.parse_args()
    write = write_zip if args.archive.suffix == ".zip" else write_tar
    write(sorted(args.folder.iterdir()), args.folder, args.archive, args.time)
    # Windows, too, must end this line as sha256sum expects.
    sys.stdout.reconfigure(newline="\n")
    print(f"{hashlib.sha256(args.archive.read_bytes()).hexdigest()}  {args.archive.name}")


if __name__ == "__main__":
    main()
