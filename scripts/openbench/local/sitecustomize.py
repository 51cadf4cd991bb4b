"""Python reads this at its start where PYTHONPATH names this folder: requests that
OpenBench's server and worker send to GitHub go to github.py instead."""

import requests

GITHUB = "https://api.github.com/"
HERE = "http://127.0.0.1:8008/"

send = requests.Session.request


def send_here(session, method, url, *args, **kwargs):
    """Sends a request, to this machine if it is meant for GitHub."""
    if url.startswith(GITHUB):
        url = HERE + url.removeprefix(GITHUB)
    return send(session, method, url, *args, **kwargs)


requests.Session.request = send_here
