import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderLatchListener;
import org.apache.curator.framework.recipes.leader.LeaderSelector;
import org.apache.curator.framework.recipes.leader.LeaderSelectorListenerAdapter;
import org.apache.curator.retry.ExponentialBackoffRetry;

/**
 * A candidate with Curator, until SIGTERM:
 *
 *	Election SERVERS PATH ID latch|selector
 *
 * It writes "ID follows" at its start, "ID leads" when it believes that it leads, then "ID follows" again.
 */
public class Election {
    public static void main(String[] args) throws Exception {
        String path = args[1], id = args[2];
        CuratorFramework client = CuratorFrameworkFactory.builder()
            .connectString(args[0])
            .sessionTimeoutMs(2000)
            .connectionTimeoutMs(1000)
            .retryPolicy(new ExponentialBackoffRetry(100, 5))
            .maxCloseWaitMs(300)
            .build();
        System.out.println(id + " follows");
        client.start();
        AutoCloseable candidate = args[3].equals("latch") ? latch(client, path, id) : selector(client, path, id);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try (client; candidate) {
            } catch (Exception e) {
                e.printStackTrace();
            }
            Runtime.getRuntime().halt(0); // otherwise the exit status after SIGTERM is 143
        }));
        Thread.currentThread().join();
    }

    static LeaderLatch latch(CuratorFramework client, String path, String id) throws Exception {
        LeaderLatch latch = new LeaderLatch(client, path, id, LeaderLatch.CloseMode.NOTIFY_LEADER);
        latch.addListener(new LeaderLatchListener() {
            public void isLeader() {
                System.out.println(id + " leads");
            }

            public void notLeader() {
                System.out.println(id + " follows");
            }
        });
        latch.start();
        return latch;
    }

    static LeaderSelector selector(CuratorFramework client, String path, String id) {
        LeaderSelector selector = new LeaderSelector(client, path, new LeaderSelectorListenerAdapter() {
            public void takeLeadership(CuratorFramework c) throws InterruptedException {
                System.out.println(id + " leads");
                try {
                    Thread.currentThread().join(); // until the selector interrupts it
                } finally {
                    System.out.println(id + " follows");
                }
            }
        });
        selector.setId(id);
        selector.autoRequeue();
        selector.start();
        return selector;
    }
}
