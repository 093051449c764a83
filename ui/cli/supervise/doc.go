// Package supervise runs a command as long as this process leads an election, and never
// longer than its lease.
//
// A [Supervisor] learns from its caller when leadership begins and when it is in doubt. It
// runs the command below a guard: this program again, as a process of its own and the head
// of a process group that the command belongs to. Both end the group, SIGTERM first and
// then SIGKILL:
//
//   - The supervisor, as soon as leadership is in doubt, or if the guard ends.
//   - The guard, if the supervisor ends (its pipe is closed), or is stopped for so long that
//     it announces no later end of the lease.
//
// The lease's end is a moment on a clock that all processes share and that counts the
// machine's sleep. Both act on their own, so the command outlives the lease only if both
// are stopped at once, as on a machine that was paused.
package supervise
