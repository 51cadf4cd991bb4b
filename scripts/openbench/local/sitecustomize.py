"""Redirects the requests of OpenBench's server and worker from GitHub to github.py. Python
imports this module when it starts, if PYTHONPATH names this folder."""

import requests

GITHUB = "https://api.github.com/"
HERE = "http://127.0.0.1:8008/"

send = requests.Session.request


def send_here(session, method, url, *args, **kwargs):
    if url.startswith(GITHUB):
        url = HERE + url.removeprefix(GITHUB)
    return send(session, method, url, *args, **kwargs)


requests.Session.request = send_here
