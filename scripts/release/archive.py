#!/usr/bin/env python3
"""Pack a folder reproducibly, and print the archive's SHA-256 in the format of sha256sum.

Usage:
  scripts/release/archive.py --time SECONDS FOLDER ARCHIVE

ARCHIVE ends in .tar.gz, .tgz or .zip. SECONDS is the modification time of all files, in seconds
since 1970 (UTC). Only the program is executable.
"""

import argparse
import gzip
import hashlib
import sys
import tarfile
import time
import zipfile
from pathlib import Path

PROGRAM = "carrybit"


def files_in(folder):
    """The files of a folder and its folders, with their names in the archive."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return [(path, path.relative_to(folder.parent).as_posix()) for path in files]


def mode(path):
    return 0o755 if path.name.removesuffix(".exe") == PROGRAM else 0o644


def write_tar(folder, archive, seconds):
    with (
        archive.open("wb") as raw,
        gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=seconds) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar,
    ):
        for path, name in files_in(folder):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode, entry.mtime = path.stat().st_size, mode(path), seconds
            with path.open("rb") as file:
                tar.addfile(entry, file)


def write_zip(folder, archive, seconds):
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for path, name in files_in(folder):
            entry = zipfile.ZipInfo(name, time.gmtime(seconds)[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            # The upper half is a Unix mode: a regular file.
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
    write(args.folder, args.archive, args.time)
    # sha256sum expects this line end, on Windows too.
    sys.stdout.reconfigure(newline="\n")
    print(f"{hashlib.sha256(args.archive.read_bytes()).hexdigest()}  {args.archive.name}")


if __name__ == "__main__":
    main()
