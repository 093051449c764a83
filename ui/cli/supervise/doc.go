// Package supervise runs a command as long as this process leads an election, and never
// longer than its lease.
//
// A [Supervisor] learns from its caller when leadership begins and when it is in doubt. It
// runs the command below a guard: this program again, as a process of its own and the head
// of a process group. The guard ends the command and all that it started, SIGTERM first and
// then SIGKILL, when the supervisor requests it or ends (its pipe is closed), or is stopped
// for so long that it announces no later end of the lease. A guard that is stopped is
// continued. If it does not act, or was killed, the supervisor kills all.
//
// On Linux the guard, and if it is killed the supervisor, are the parents of orphans: all
// that the command started is below them, and is killed until none is left. So a process
// with a Supervisor starts no others meanwhile. On macOS there are only process groups.
//
// The lease's end is a moment on a clock that all processes share and that counts the
// machine's sleep. The command outlives the lease only if neither process can act: stopped
// or killed at once, as on a machine that was paused.
package supervise
