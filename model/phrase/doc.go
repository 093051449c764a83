// Package phrase holds the words for the state of an election: why nobody is said to
// lead, how far the first candidate leads, and why a leader stopped. Each situation has
// one [Entry] in one table. The screen, the plain text, the metrics and the lessons read
// it, so the same situation has the same words everywhere. An entry has a severity, and
// no colour.
package phrase
