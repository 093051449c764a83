// Package doctor diagnoses known failures of an election.
//
// A [Journal] here is a [model.Journal] with its [Doctor]. The doctor gets each observation after
// the journal applied it. The doctor keeps the servers' watch tables, former candidates, and
// suspicions with their age. The [State] is the election with its diagnosis:
//
//   - [State.Lead]: whether the first contender leads;
//   - [State.Edge]: the znode that a contender watches according to the servers' tables;
//   - [State.Risks]: contenders whose sessions may expire soon (package session);
//   - [State.Findings]: what the rules found.
//
// # Rules
//
// A rule is one value in rules.go and one function. The rule "ghost-node" is the function ghostNode
// in ghostnode.go. A rule reads a [ruleContext] and reports suspicions, with the words of texts.go.
// A suspicion becomes a finding when it has lasted for the time and the number of tables that the
// rule sets. The doctor clears the finding when the rule no longer reports it.
//
// A rule may read the whole queue, so the rules do not run at each observation. They run at a new
// table of the servers and at [Journal.RunRules], and otherwise at most once in [runInterval].
//
// To add a finding, write a file with its rule, and add a line to rules.go. Put the title, the harm
// and the advice into texts.go.
package doctor
