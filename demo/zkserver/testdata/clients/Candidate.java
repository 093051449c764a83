import java.util.concurrent.CountDownLatch;

import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderSelector;
import org.apache.curator.framework.recipes.leader.LeaderSelectorListenerAdapter;
import org.apache.curator.retry.RetryOneTime;

/**
 * A candidate made with Curator: Candidate latch|selector ADDRESS PATH NAME
 * TIMEOUT_MS. It says "standing", then "leads NAME" when it does, and resigns
 * when its input ends.
 */
public class Candidate {
    public static void main(String[] args) throws Exception {
        String path = args[2], name = args[3];
        CuratorFramework client = CuratorFrameworkFactory.builder()
            .connectString(args[1])
            .sessionTimeoutMs(Integer.parseInt(args[4]))
            .connectionTimeoutMs(10_000)
            .retryPolicy(new RetryOneTime(100))
            .build();
        client.start();
        client.blockUntilConnected();
        if (args[0].equals("latch")) {
            try (LeaderLatch latch = new LeaderLatch(client, path, name)) {
                latch.start();
                System.out.println("standing");
                latch.await();
                if (!latch.getLeader().getId().equals(name)) {
                    throw new IllegalStateException("another leads: " + latch.getLeader());
                }
                System.out.println("leads " + name);
                endOfInput();
            }
        } else {
            CountDownLatch resigned = new CountDownLatch(1);
            LeaderSelector selector = new LeaderSelector(client, path, new LeaderSelectorListenerAdapter() {
                @Override
                public void takeLeadership(CuratorFramework c) throws Exception {
                    System.out.println("leads " + name);
                    endOfInput();
                    resigned.countDown();
                }
            });
            selector.setId(name);
            selector.start();
            System.out.println("standing");
            resigned.await();
            selector.close();
        }
        client.close();
    }

    static void endOfInput() throws Exception {
        while (System.in.read() >= 0) {
        }
    }
}
