"""Candidates made with kazoo, each with its own session except for threads:

	candidate.py ADDRESS TIMEOUT_MS

It reads commands from its input:

	stand RECIPE PATH NAME [LEASES]
	resign NAME
	leave NAME
	close NAME

RECIPE is election, lock, read, write, semaphore, counting (a lock that counts
go-zookeeper's names too), all (a lock that counts all numbered names) or thread (a lock of one of the threads that share a
client). It writes "standing NAME SESSION ZNODE" when the candidate's znode exists,
"leads NAME" when the candidate leads or has the lock, and "resigned NAME". A leader
that leaves keeps its session ("left NAME"); a candidate that closes only closes its
session ("closed NAME"). At the end of the input all resign.
"""
import sys
import threading
import time

from kazoo.client import KazooClient
from kazoo.exceptions import NoNodeError

address, timeout = sys.argv[1], int(sys.argv[2]) / 1000
mu = threading.Lock()
standing = {}
known = set()  # znodes
shared = []  # the client of all threads, after the first one


def say(*words):
    with mu:
        print(*words, flush=True)


class Candidate:
    def __init__(self, recipe, path, name, leases="1"):
        self.recipe, self.path, self.name = recipe, path, name
        self.leads = self.resigns = False
        self.enough = threading.Event()
        if recipe == "thread" and shared:
            self.client = shared[0]
        else:
            self.client = KazooClient(hosts=address, timeout=timeout)
            self.client.start()
        if recipe == "thread":
            shared[:] = [self.client]
        self.run = {
            "election": lambda: self.client.Election(path, name).run(self.lead),
            "lock": lambda: self.hold(self.client.Lock(path, name)),
            "thread": lambda: self.hold(self.client.Lock(path, name)),
            "counting": lambda: self.hold(
                self.client.Lock(path, name, extra_lock_patterns=["-lock-"])
            ),
            "all": lambda: self.hold(
                self.client.Lock(path, name, extra_lock_patterns=["[-_]"])
            ),
            "read": lambda: self.hold(self.client.ReadLock(path, name)),
            "write": lambda: self.hold(self.client.WriteLock(path, name)),
            "semaphore": lambda: self.hold(
                self.client.Semaphore(path, name, max_leases=int(leases))
            ),
        }[recipe]
        self.thread = threading.Thread(target=self.stand, daemon=True)
        self.thread.start()
        session = self.client.client_id[0]
        say("standing", name, "0x%x" % (session % 2**64), self.znode(session))

    def stand(self):
        try:
            self.run()
        except Exception as e:
            if not self.resigns:
                say("failed", self.name, repr(e))

    def hold(self, lock):
        with lock:
            self.lead()

    def lead(self):
        self.leads = True
        say("leads", self.name)
        self.enough.wait()

    def znode(self, session):
        """waits for a new znode of the session and returns its path"""
        while True:
            for parent in self.path, self.path + "-__lock__":
                try:
                    for child in self.client.get_children(parent):
                        znode = parent + "/" + child
                        if znode in known:
                            continue
                        if self.client.exists(znode).ephemeralOwner == session:
                            known.add(znode)
                            return znode
                except (NoNodeError, AttributeError):
                    pass
            time.sleep(0.01)

    def leave(self):
        self.resigns = True
        if self.leads:
            self.enough.set()
            self.thread.join()
        say("left", self.name)

    def close(self):
        self.resigns = True
        self.client.stop()
        self.client.close()
        say("closed", self.name)

    def resign(self):
        self.leave()
        if self.client not in shared:
            self.client.stop()
            self.client.close()
        say("resigned", self.name)


for line in sys.stdin:
    command, *args = line.split()
    if command == "stand":
        standing[args[2]] = Candidate(*args)
    elif command == "resign":
        standing.pop(args[0]).resign()
    elif command == "leave":
        standing[args[0]].leave()
    elif command == "close":
        standing.pop(args[0]).close()
    else:
        sys.exit("unknown command: " + line)
for candidate in standing.values():
    candidate.resign()
