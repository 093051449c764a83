// Package doctor looks at an election and says what is wrong.
//
// The [Doctor] is given each observation after the journal applied it. It keeps
// what the journal does not need: the servers' watch tables, who stood before,
// what was suspected and for how long. A [Journal] here is a [model.Journal] with
// its doctor. It merges and numbers the events of both, and its [State] is the
// election with its diagnosis:
//
//   - [State.Edge]: whom a contender really watches, by two tables that agree;
//   - [State.Risks]: sessions that are about to expire (package session);
//   - [State.Findings]: what the rules found.
//
// # Rules
//
// A rule is one value in rules.go and one function in a file of its own. It looks
// at a [ruleContext] and reports what is wrong now. That is a suspicion until it has
// lasted: for some time, or over several tables, as the rule says. Then the
// finding is raised; when the rule no longer reports it, it is cleared. What looks
// wrong for a moment in every healthy handoff has to last before it is said.
//
// Rules may look at the whole queue, so they do not run at each change. A table
// has them run at once, anything else when the last run is [pace] past. What they
// wait for is part of [Journal.Deadline].
//
// To add a finding: a file with its rule, and a line in rules.go.
package doctor
