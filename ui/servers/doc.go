// Package servers shows what the members of the ensemble report: their mode, their
// connections and watches, and what they did not report, with the setting that would
// allow it.
package servers
