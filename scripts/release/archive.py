#!/usr/bin/env python3
"""Put a folder into an archive, the same bytes each time, and print its SHA-256.

Usage:
  scripts/release/archive.py --time SECONDS FOLDER ARCHIVE

ARCHIVE ends in .tar.gz or .zip. All files get the time of modification given, in
seconds since 1970 (UTC); programs, and nothing else, may be executed. What is printed is
a line as sha256sum writes and checks it.

Exit codes: 0 done; 2 wrong usage, or a file cannot be read or written.
"""

import argparse
import gzip
import hashlib
import sys
import tarfile
import time
import zipfile
from pathlib import Path

EXIT_USAGE = 2

# What may be executed, by name.
PROGRAMS = ("carrybit", "carrybit.exe")


def mode(path):
    """The permissions of a file in an archive."""
    return 0o755 if path.name in PROGRAMS else 0o644


def write_tar(files, folder, archive, seconds):
    with (
        archive.open("wb") as raw,
        gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=seconds) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar,
    ):
        for path in files:
            entry = tarfile.TarInfo(f"{folder.name}/{path.name}")
            entry.size = path.stat().st_size
            entry.mode = mode(path)
            entry.mtime = seconds
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
    if args.archive.name.endswith(".tar.gz"):
        write = write_tar
    elif args.archive.suffix == ".zip":
        write = write_zip
    else:
        parser.error(f"{args.archive} ends neither in .tar.gz nor in .zip")
    try:
        write(sorted(args.folder.iterdir()), args.folder, args.archive, args.time)
        checksum = hashlib.sha256(args.archive.read_bytes()).hexdigest()
    except OSError as error:
        print(f"archive.py: {error}", file=sys.stderr)
        sys.exit(EXIT_USAGE)
    # Windows, too, must end this line as sha256sum expects.
    sys.stdout.reconfigure(newline="\n")
    print(f"{checksum}  {args.archive.name}")


if __name__ == "__main__":
    main()
