"""Candidates made with kazoo, each with its own session except for threads:

	candidate.py ADDRESS TIMEOUT_MS

It reads commands from its input:

	join RECIPE PATH NAME [LEASES]
	resign NAME
	leave NAME
	close NAME
	put RECIPE PATH NAME [PRIORITY]
	take RECIPE PATH NAME

RECIPE is election, lock, read, write, semaphore, counting (a lock that counts
go-zookeeper's names too), all (a lock that counts all numbered names), thread (a lock; all
threads share a client), wait (for a barrier, without a znode), double (a double
barrier of LEASES participants), party or shallow. The program writes "joined NAME SESSION ZNODE" when
the candidate's znode exists, "leads NAME" when the candidate leads, has the lock, has passed the
barrier or is in the party, and "resigned NAME". After leave, a leader keeps its session ("left
NAME"); a participant of a double barrier only begins to leave. close only closes the session
("closed NAME"). At the end of the input all resign.

put creates a barrier or puts an item into a queue or locking queue ("put NAME"); take removes
a barrier or an item ("took NAME"). "take locked" only locks the item of a locking queue.
"""
import sys
import threading
import time

from kazoo.client import KazooClient
from kazoo.exceptions import NoNodeError

address, timeout = sys.argv[1], int(sys.argv[2]) / 1000
mu = threading.Lock()
candidates = {}
known = set()  # znodes
shared = []  # the client of all thread candidates; empty before the first
keeper = []  # the client that puts and takes; empty before the first use
queues = {}  # locking queues, by path


def report(*words):
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
            "wait": lambda: (self.client.Barrier(path).wait(), self.lead()),
            "double": lambda: self.meet(
                self.client.DoubleBarrier(path, int(leases), name), "enter"
            ),
            "party": lambda: self.meet(self.client.Party(path, name), "join"),
            "shallow": lambda: self.meet(
                self.client.ShallowParty(path, name), "join"
            ),
        }[recipe]
        self.thread = threading.Thread(target=self.participate, daemon=True)
        self.thread.start()
        session = self.client.client_id[0]
        report("joined", name, "0x%x" % (session % 2**64), self.znode(session))

    def participate(self):
        try:
            self.run()
        except Exception as e:
            if not self.resigns:
                report("failed", self.name, repr(e))

    def hold(self, lock):
        with lock:
            self.lead()

    def meet(self, others, enter):
        getattr(others, enter)()
        self.lead()
        others.leave()

    def lead(self):
        self.leads = True
        report("leads", self.name)
        self.enough.wait()

    def znode(self, session):
        """waits for a new znode of the session and returns its path"""
        while self.recipe != "wait":
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
            if self.recipe != "double":  # leaves only when all leave
                self.thread.join()
        report("left", self.name)

    def close(self):
        self.resigns = True
        self.client.stop()
        self.client.close()
        report("closed", self.name)

    def resign(self):
        self.leave()
        if self.client not in shared:
            self.client.stop()
            self.client.close()
        report("resigned", self.name)


def client():
    """returns the client that puts and takes"""
    if not keeper:
        keeper.append(KazooClient(hosts=address, timeout=timeout))
        keeper[0].start()
    return keeper[0]


def put(recipe, path, name, *priority):
    if recipe == "barrier":
        client().Barrier(path).create()
    else:
        queue = client().Queue if recipe == "queue" else client().LockingQueue
        queue(path).put(name.encode(), *map(int, priority))
    report("put", name)


def take(recipe, path, name):
    if recipe == "barrier":
        client().Barrier(path).remove()
    elif recipe == "queue":
        client().Queue(path).get()
    else:
        queue = queues.setdefault(path, client().LockingQueue(path))
        queue.get()
        if recipe != "locked":
            queue.consume()
    report("took", name)


for line in sys.stdin:
    command, *args = line.split()
    if command == "join":
        candidates[args[2]] = Candidate(*args)
    elif command == "resign":
        candidates.pop(args[0]).resign()
    elif command == "leave":
        candidates[args[0]].leave()
    elif command == "close":
        candidates.pop(args[0]).close()
    elif command == "put":
        put(*args)
    elif command == "take":
        take(*args)
    else:
        sys.exit("unknown command: " + line)
for candidate in candidates.values():
    candidate.resign()
