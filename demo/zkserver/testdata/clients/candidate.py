"""A candidate made with kazoo: candidate.py ADDRESS PATH NAME TIMEOUT_MS.

It says "standing", then "leads NAME" when it does, and resigns when its input
ends.
"""
import sys

from kazoo.client import KazooClient


def main():
    address, path, name, timeout = sys.argv[1:5]
    client = KazooClient(hosts=address, timeout=int(timeout) / 1000)
    client.start()
    print("standing", flush=True)

    def lead():
        print("leads", name, flush=True)
        sys.stdin.read()

    client.Election(path, name).run(lead)
    client.stop()
    client.close()


main()
