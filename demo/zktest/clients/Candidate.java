import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.barriers.DistributedBarrier;
import org.apache.curator.framework.recipes.barriers.DistributedDoubleBarrier;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderSelector;
import org.apache.curator.framework.recipes.leader.LeaderSelectorListenerAdapter;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Lease;
import org.apache.curator.framework.recipes.locks.Revoker;
import org.apache.curator.framework.recipes.nodes.GroupMember;
import org.apache.curator.framework.recipes.queue.DistributedIdQueue;
import org.apache.curator.framework.recipes.queue.DistributedPriorityQueue;
import org.apache.curator.framework.recipes.queue.DistributedQueue;
import org.apache.curator.framework.recipes.queue.QueueBuilder;
import org.apache.curator.framework.recipes.queue.QueueConsumer;
import org.apache.curator.framework.recipes.queue.QueueSerializer;
import org.apache.curator.framework.recipes.queue.SimpleDistributedQueue;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.retry.RetryNTimes;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.Stat;

/**
 * Candidates made with Curator, each with its own session except for shared latches:
 *
 *	Candidate ADDRESS TIMEOUT_MS
 *
 * It reads commands from its input:
 *
 *	join RECIPE PATH NAME [LEASES]
 *	resign NAME
 *	leave NAME
 *	put RECIPE PATH NAME [PRIORITY]
 *	take RECIPE PATH NAME
 *
 * RECIPE is latch, selector, mutex, revocable (a mutex), read, write, semaphore,
 * shared (latches that share a client), wait (for a barrier, without a znode), double (a double
 * barrier of LEASES participants) or group. The program writes "joined NAME SESSION ZNODE" when the
 * candidate's znode exists, "leads NAME" when the candidate leads, has the lock, has passed the
 * barrier or is in the group, and "resigned NAME". leave only begins to leave a double barrier. At
 * the end of the input all resign.
 *
 * put sets a barrier, puts an item into a queue (simple, queue, priority or id), or revokes the
 * revocable mutex whose znode is PATH ("asked OWNER", "put NAME"). take removes a barrier or an
 * item of a simple queue, or consumes the items of another queue until NAME ("took NAME").
 */
public class Candidate {
    interface Recipe {
        void run() throws Exception;
    }

    static String address;
    static int timeout;
    static CuratorFramework shared; // the client of all shared latches; null before the first
    static CuratorFramework keeper; // the client that puts and takes; null before the first use
    static final Set<String> known = new HashSet<>(); // znodes

    final String path, name;
    final CuratorFramework client;
    final CountDownLatch enough = new CountDownLatch(1);
    final Thread thread;
    volatile boolean leads, resigns;

    public static void main(String[] args) throws Exception {
        address = args[0];
        timeout = Integer.parseInt(args[1]);
        Map<String, Candidate> candidates = new LinkedHashMap<>();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        for (String line; (line = in.readLine()) != null;) {
            String[] w = line.split(" ");
            if (w[0].equals("join")) {
                candidates.put(w[3], new Candidate(w[1], w[2], w[3], w.length > 4 ? Integer.parseInt(w[4]) : 1));
            } else if (w[0].equals("resign")) {
                candidates.remove(w[1]).resign();
            } else if (w[0].equals("leave")) {
                candidates.get(w[1]).enough.countDown();
            } else if (w[0].equals("put")) {
                put(w[1], w[2], w[3], w.length > 4 ? Integer.parseInt(w[4]) : 0);
                System.out.println("put " + w[3]);
            } else if (w[0].equals("take")) {
                take(w[1], w[2], w[3]);
                System.out.println("took " + w[3]);
            } else {
                throw new IllegalArgumentException("unknown command: " + line);
            }
        }
        for (Candidate c : candidates.values()) {
            c.resign();
        }
        System.exit(0);
    }

    Candidate(String recipe, String path, String name, int leases) throws Exception {
        this.path = path;
        this.name = name;
        if (!recipe.equals("shared")) {
            client = connect();
        } else {
            if (shared == null) {
                shared = connect();
            }
            client = shared;
        }
        Recipe run = recipe(recipe, leases);
        thread = new Thread(() -> {
            try {
                run.run();
            } catch (Exception e) {
                if (!resigns) {
                    System.out.println("failed " + name + " " + e);
                }
            }
        });
        thread.setDaemon(true);
        thread.start();
        ZooKeeper zk = client.getZookeeperClient().getZooKeeper();
        String znode = recipe.equals("wait") ? "-" : znode(zk);
        System.out.println("joined " + name + " 0x" + Long.toHexString(zk.getSessionId()) + " " + znode);
    }

    static void put(String recipe, String path, String name, int priority) throws Exception {
        QueueBuilder<String> queue = QueueBuilder.builder(keeper(), null, new Text(), path);
        switch (recipe) {
        case "barrier":
            new DistributedBarrier(keeper(), path).setBarrier();
            break;
        case "revoke":
            Revoker.attemptRevoke(keeper(), path);
            break;
        case "simple":
            new SimpleDistributedQueue(keeper(), path).offer(name.getBytes());
            break;
        case "queue":
            try (DistributedQueue<String> q = queue.buildQueue()) {
                q.start();
                q.put(name);
                q.flushPuts(10, TimeUnit.SECONDS);
            }
            break;
        case "priority":
            try (DistributedPriorityQueue<String> q = queue.buildPriorityQueue(0)) {
                q.start();
                q.put(name, priority);
                q.flushPuts(10, TimeUnit.SECONDS);
            }
            break;
        case "id":
            try (DistributedIdQueue<String> q = queue.buildIdQueue()) {
                q.start();
                q.put(name, name);
                q.flushPuts(10, TimeUnit.SECONDS);
            }
            break;
        default:
            throw new IllegalArgumentException("no such recipe: " + recipe);
        }
    }

    static void take(String recipe, String path, String name) throws Exception {
        CountDownLatch taken = new CountDownLatch(1);
        QueueBuilder<String> queue = QueueBuilder.builder(keeper(), new QueueConsumer<String>() {
            @Override
            public void consumeMessage(String item) {
                if (item.equals(name)) {
                    taken.countDown();
                }
            }

            @Override
            public void stateChanged(CuratorFramework c, ConnectionState s) {}
        }, new Text(), path);
        switch (recipe) {
        case "barrier":
            new DistributedBarrier(keeper(), path).removeBarrier();
            break;
        case "simple":
            new SimpleDistributedQueue(keeper(), path).take();
            break;
        case "priority":
            try (DistributedPriorityQueue<String> q = queue.buildPriorityQueue(0)) {
                q.start();
                taken.await();
            }
            break;
        default: // queue and id
            try (DistributedIdQueue<String> q = queue.buildIdQueue()) {
                q.start();
                taken.await();
            }
        }
    }

    static class Text implements QueueSerializer<String> {
        @Override
        public byte[] serialize(String s) {
            return s.getBytes();
        }

        @Override
        public String deserialize(byte[] b) {
            return new String(b);
        }
    }

    static CuratorFramework keeper() throws InterruptedException {
        if (keeper == null) {
            keeper = connect();
        }
        return keeper;
    }

    static CuratorFramework connect() throws InterruptedException {
        CuratorFramework client = CuratorFrameworkFactory.builder()
            .connectString(address)
            .sessionTimeoutMs(timeout)
            .connectionTimeoutMs(10_000)
            .retryPolicy(new RetryNTimes(50, 100))
            .build();
        client.start();
        client.blockUntilConnected();
        return client;
    }

    Recipe recipe(String recipe, int leases) {
        switch (recipe) {
        case "latch":
        case "shared":
            return () -> {
                try (LeaderLatch latch = new LeaderLatch(client, path, name)) {
                    latch.start();
                    latch.await();
                    if (!latch.getLeader().getId().equals(name)) {
                        throw new IllegalStateException("another leads: " + latch.getLeader());
                    }
                    lead();
                }
            };
        case "selector":
            return () -> {
                LeaderSelector selector = new LeaderSelector(client, path, new LeaderSelectorListenerAdapter() {
                    @Override
                    public void takeLeadership(CuratorFramework c) throws Exception {
                        lead();
                    }
                });
                selector.setId(name);
                selector.start();
                enough.await();
                selector.close();
            };
        case "mutex":
            return () -> hold(new InterProcessMutex(client, path));
        case "revocable":
            return () -> {
                InterProcessMutex mutex = new InterProcessMutex(client, path);
                mutex.makeRevocable(m -> System.out.println("asked " + name));
                hold(mutex);
            };
        case "read":
            return () -> hold(new InterProcessReadWriteLock(client, path, name.getBytes()).readLock());
        case "write":
            return () -> hold(new InterProcessReadWriteLock(client, path, name.getBytes()).writeLock());
        case "semaphore":
            return () -> {
                InterProcessSemaphoreV2 semaphore = new InterProcessSemaphoreV2(client, path, leases);
                semaphore.setNodeData(name.getBytes());
                try (Lease lease = semaphore.acquire()) {
                    lead();
                }
            };
        case "wait":
            return () -> {
                new DistributedBarrier(client, path).waitOnBarrier();
                lead();
            };
        case "double":
            return () -> {
                DistributedDoubleBarrier barrier = new DistributedDoubleBarrier(client, path, leases);
                barrier.enter();
                lead();
                barrier.leave();
            };
        case "group":
            return () -> {
                try (GroupMember member = new GroupMember(client, path, name, name.getBytes())) {
                    member.start();
                    lead();
                }
            };
        default:
            throw new IllegalArgumentException("no such recipe: " + recipe);
        }
    }

    void hold(InterProcessLock lock) throws Exception {
        lock.acquire();
        try {
            lead();
        } finally {
            lock.release();
        }
    }

    void lead() throws InterruptedException {
        leads = true;
        System.out.println("leads " + name);
        enough.await();
    }

    /** Waits for a new znode of the session and returns its path. */
    String znode(ZooKeeper zk) throws Exception {
        for (;; Thread.sleep(10)) {
            for (String parent : List.of(path, path + "/locks", path + "/leases")) {
                List<String> children = new ArrayList<>();
                try {
                    children = zk.getChildren(parent, false);
                } catch (KeeperException.NoNodeException e) {
                    // The parent does not exist yet.
                }
                for (String child : children) {
                    if (known.contains(parent + "/" + child)) {
                        continue;
                    }
                    Stat stat = zk.exists(parent + "/" + child, false);
                    if (stat != null && stat.getEphemeralOwner() == zk.getSessionId()) {
                        known.add(parent + "/" + child);
                        return parent + "/" + child;
                    }
                }
            }
        }
    }

    void resign() throws Exception {
        resigns = true;
        enough.countDown();
        if (leads) {
            thread.join();
        }
        if (client != shared) {
            client.close();
        }
        System.out.println("resigned " + name);
    }
}
