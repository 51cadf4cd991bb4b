#!/usr/bin/env python3
"""Answer OpenBench's requests to GitHub from a clone.

Usage:
  scripts/openbench/local/github.py --repo . --book UHO_4060_v4.epd

It listens on the loopback address only. Any user and repository stands for the clone.
It serves branches, tags and commits, their comparison, and their source as a zip archive.
/books/NAME.zip is a book. Server and worker send their requests here instead of to GitHub
if PYTHONPATH names the folder of this file (see sitecustomize.py).
Needs git, and Python 3.10 or later.
"""

import argparse
import io
import json
import subprocess
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

PORT = 8008


class Handler(BaseHTTPRequestHandler):
    repo = Path()
    books = {}

    def git(self, *arguments):
        """The output of git; raises CalledProcessError if it fails."""
        return subprocess.run(["git", "-C", self.repo, *arguments], capture_output=True, check=True).stdout

    def commit(self, name):
        sha, message = self.git("log", "-1", "--format=%H%n%B", f"{name}^{{commit}}").decode().split("\n", 1)
        return {"sha": sha, "commit": {"message": message}}

    def book(self, name):
        path = self.books[name.removesuffix(".zip")]
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.write(path, path.name)
        return packed.getvalue()

    def find(self, path):
        """The answer to a path: bytes, or a value to write as JSON."""
        match path.strip("/").split("/", 4):
            case ["books", name]:
                return self.book(name)
            case ["repos", _, _, "branches", name]:
                return {"commit": self.commit(f"refs/heads/{name}")}
            case ["repos", _, _, "commits", name]:
                return self.commit(name)
            case ["repos", _, _, "compare", names]:
                base, head = (self.commit(name)["sha"] for name in names.split("...", 1))
                return {"ahead_by": int(self.git("rev-list", "--count", f"{base}..{head}"))}
            case ["repos", _, _, "zipball", name]:
                sha = self.commit(name)["sha"]
                return self.git("archive", "--format=zip", f"--prefix=carrybit-{sha[:7]}/", sha)
        raise KeyError(path)

    def do_GET(self):
        status = 200
        try:
            found = self.find(unquote(urlsplit(self.path).path))
        except (KeyError, ValueError, subprocess.CalledProcessError):
            status, found = 404, {"message": "Not Found"}
        body = found if isinstance(found, bytes) else json.dumps(found).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repo", type=Path, default=Path(), help="the clone (default: this folder)")
    parser.add_argument("--book", type=Path, action="append", default=[], help="a book; may be repeated")
    args = parser.parse_args()
    Handler.repo = args.repo
    Handler.books = {book.name: book for book in args.book}
    ThreadingHTTPServer(("127.0.0.1", PORT), Handler).serve_forever()


if __name__ == "__main__":
    main()
