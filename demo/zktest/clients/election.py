"""A candidate with kazoo's Election, until SIGTERM:

    election.py SERVERS PATH ID [listener]

It writes "ID follows" at its start, "ID leads" when it believes that it leads, then "ID follows" again.
With listener, it also follows while the connection is lost, and resigns when the session has expired.
"""
import logging
import os
import signal
import sys
import threading

from kazoo.client import KazooClient, KazooState
from kazoo.exceptions import KazooException

servers, path, name = sys.argv[1:4]
client = KazooClient(servers, timeout=2.0)
over = threading.Event()
terminated = threading.Event()
lock = threading.Lock()  # guards the next three variables and the output
elected = lost = leads = False


def change(**facts):
    global leads
    with lock:
        globals().update(facts)
        believes = elected and not lost and not terminated.is_set()
        if believes != leads:
            leads = believes
            print(name, "leads" if believes else "follows", flush=True)


def lead():
    change(elected=True)
    over.wait()
    change(elected=False)


def watch(state):
    change(lost=state != KazooState.CONNECTED)
    if state == KazooState.LOST:  # the session has expired
        over.set()
    elif state == KazooState.CONNECTED and not terminated.is_set():
        over.clear()


def campaign():
    while not terminated.is_set():
        try:
            client.Election(path, name).run(lead)
        except KazooException:
            logging.exception("election")
            terminated.wait(0.2)


print(name, "follows", flush=True)
if sys.argv[4:] == ["listener"]:
    client.add_listener(watch)
signal.signal(signal.SIGTERM, lambda *_: terminated.set())
client.start()
candidate = threading.Thread(target=campaign, daemon=True)
candidate.start()
terminated.wait()
over.set()
candidate.join(0.3)
threading.Timer(0.5, os._exit, [0]).start()  # stop can take longer
client.stop()
os._exit(0)
