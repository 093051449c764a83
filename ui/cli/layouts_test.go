package cli_test

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"electop/demo/zkserver"
	"electop/demo/zktest"
)

// A system writes a layout into a tree below root, as its real clients do. Its owner
// knows who leads.
type system struct {
	name  string
	write func(w *tree, root string) owner
}

// An owner says for each path which znodes lead the election there. electop may always
// say that it does not know a leader.
type owner struct {
	leads map[string][]string // by path; registries and elections without a leader have none
	// named is the same for a user who names the path, where that tells more than a
	// search can know; nil: as leads.
	named map[string][]string
	// known: electop knows the system, and must name one of the leaders of this layout.
	known bool
}

// nobody is the answer for paths where nobody leads.
func nobody(paths ...string) owner {
	o := owner{leads: map[string][]string{}}
	for _, path := range paths {
		o.leads[path] = nil
	}
	return o
}

// led is the answer for an election at path; of several leaders any may be named.
func led(path string, leaders ...string) owner {
	return owner{leads: map[string][]string{path: leaders}, known: len(leaders) > 0}
}

// allSystems are the systems that write layouts.
func allSystems() []system {
	return slices.Concat(queues(), acknowledged(), alone(), groups(), shared())
}

// TestNoLeaderThatTheOwnerDenies writes random layouts of elections and registries of
// real systems, healthy and in trouble, and compares who leads by status and discover
// with what the owner of the layout says.
func TestNoLeaderThatTheOwnerDenies(t *testing.T) {
	t.Parallel()
	seed := zktest.Seed(t)
	r := rand.New(rand.NewPCG(seed, 1))
	_, addr := zkserver.Start(t, zkserver.Options{})
	w := newTree(t, r, addr)
	systems := allSystems()
	rounds := 4
	duration, _ := zktest.Long(t)
	end := time.Now().Add(duration)
	var j judgement
	for round := 0; round < rounds || time.Now().Before(end); round++ {
		r.Shuffle(len(systems), func(a, b int) { systems[a], systems[b] = systems[b], systems[a] })
		for batch := range slices.Chunk(systems, 8) {
			w.begin()
			written := make([]layout, 0, len(batch))
			for i, s := range batch {
				w.log = nil
				o := s.write(w, w.root(i))
				written = append(written, layout{s.name, o, w.log})
			}
			if j.judge(t, w, addr, written); t.Failed() {
				t.Fatalf("seed %d, round %d", seed, round)
			}
		}
	}
	t.Logf("seed %d: %d layouts of %d systems, %d paths, of %d a leader was named", seed, j.layouts, len(systems), j.paths, j.named)
	for _, name := range slices.Sorted(maps.Keys(j.healthy)) {
		if x := j.healthy[name]; x.tried >= 3 && x.named == 0 {
			t.Errorf("seed %d: %s: no leader was named in %d healthy elections", seed, name, x.tried)
		}
	}
}

type layout struct {
	system string
	owner  owner
	log    []string // how it came to be
}

// A judgement counts what was compared.
type judgement struct {
	layouts, paths, named int
	healthy               map[string]struct{ tried, named int }
}

// judge compares what electop says of layouts with their owners' answers.
func (j *judgement) judge(t *testing.T, w *tree, addr string, written []layout) {
	t.Helper()
	servers := addr + w.chroot
	out, _ := once(t, 0, "discover", "-s", servers, "--all", "--json", "--rate", "100000")
	found, systems := map[string]string{}, map[string]*string{}
	for _, e := range answerWithLeaders(t, out).Elections {
		systems[e.Path] = e.System
		if e.Leader != nil {
			found[e.Path] = *e.Leader
		}
	}
	for _, x := range written {
		j.layouts++
		said := 0
		for path, leads := range x.owner.leads {
			j.paths++
			compare := func(command, leader string, allowed []string) {
				switch {
				case leader == "":
				case slices.Contains(allowed, leader):
					said++
					j.named++
				default:
					t.Errorf("%s, %s: %s says that %s leads, the owner %q; the layout:\n  %s", x.system, path, command, leader, allowed, strings.Join(x.log, "\n  "))
				}
			}
			compare("discover", found[path], leads)
			delete(found, path)
			if x.owner.named != nil {
				leads = x.owner.named[path]
			}
			admin := []string{"off", "4lw"}[w.r.IntN(2)]
			said := statusOf(t, servers, path, admin)
			compare("status --admin "+admin, show(said.Leader), leads)
			// Of an unknown kind or system it is no more to a search, and an election to who names it.
			if of, ok := systems[path]; ok && !strings.HasPrefix(show(of), "unknown ") && !reflect.DeepEqual(of, said.System) {
				t.Errorf("%s, %s: the system is %s by discover and %s by status; the layout:\n  %s", x.system, path, show(of), show(said.System), strings.Join(x.log, "\n  "))
			}
		}
		if x.owner.known {
			if j.healthy == nil {
				j.healthy = map[string]struct{ tried, named int }{}
			}
			h := j.healthy[x.system]
			h.tried++
			h.named += min(said, 1)
			j.healthy[x.system] = h
		}
	}
	for path, leader := range found {
		var logs []string
		for _, x := range written {
			logs = append(logs, x.system+":\n  "+strings.Join(x.log, "\n  "))
		}
		t.Errorf("discover says that %s leads at %s, where no owner knows an election:\n%s", leader, path, strings.Join(logs, "\n"))
	}
}

type ledAt struct {
	Path           string
	Leader, System *string
}

type leadersSaid struct {
	ledAt
	Elections []ledAt
}

// show is a text of JSON, "" for null.
func show(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func answerWithLeaders(t *testing.T, out string) (said leadersSaid) {
	t.Helper()
	if err := json.Unmarshal([]byte(out), &said); err != nil {
		t.Fatalf("%q: %v", out, err)
	}
	return said
}

// statusOf is what status says of the election at path.
func statusOf(t *testing.T, servers, path, admin string) (said leadersSaid) {
	t.Helper()
	c := run(t, "status", path, "-s", servers, "--admin", admin, "--json")
	switch code := c.finish(t); code {
	case 0:
		said = answerWithLeaders(t, c.out.all())
		if said.Leader == nil {
			t.Fatalf("status %s: exit code 0 without a leader: %s", path, c.out.all())
		}
	case 4:
		if said = answerWithLeaders(t, c.out.all()); said.Leader != nil {
			t.Fatalf("status %s: exit code 4 with a leader: %s", path, c.out.all())
		}
	case 1:
		if !strings.Contains(c.errs.all(), "does not exist") {
			t.Fatalf("status %s: %s", path, c.errs.all())
		}
	default:
		t.Fatalf("status %s: exit code %d: %s", path, code, c.errs.all())
	}
	return said
}
