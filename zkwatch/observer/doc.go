// Package observer observes an election and writes nothing.
//
// On servers with persistent recursive watches, a notification names the change. On other servers a
// watch fires once, and the observer lists the children again.
//
// A [Group] runs several observers on one session. [ReadOnce] reads an election once.
package observer
