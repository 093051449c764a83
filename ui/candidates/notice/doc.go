// Package notice shows the notifications of a deleted znode on their way to its watchers.
//
// At its full pace a server's notifications take less than a millisecond, and nobody could
// see them. So their way is shown in slow motion. [Deletions] says what is on its way and
// how far; [Edges] draws it over the rows. What is drawn depends on the state and the time
// alone, and so looks the same when the past is shown again.
package notice
