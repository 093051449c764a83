// Package observer observes an election with ZooKeeper watches. It writes nothing.
//
// A notification of a persistent recursive watch (ZooKeeper 3.6) names the changed znode. An observer
// without such a watch sets a one-time watch, and reads again after each notification.
//
// A [Group] runs several observers on one session. [ReadOnce] reads an election once.
package observer
