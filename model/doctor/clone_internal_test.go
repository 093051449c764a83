package doctor

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"electop/model"
	"electop/model/dialect"
)

// A new pointer, map or slice fails the test unless Clone copies it, or a list names it.
var (
	// sharedTypes are types whose values never change after they are shared.
	sharedTypes = []string{
		"dialect.Candidate", "model.Member", "dialect.Dialect", "model.Handoff", "session.Table", "session.Client",
		"doctor.Risk", "doctor.Finding", "model.Directory", "model.Ack", "model.EpochChanged", "model.expiredCount", "model.Pace",
		"model.Follow", "model.Write", "model.ReportedDeletion", "model.Delta", "model.reportChange", "model.Returned", "model.Watchers", "doctor.watchTable",
		"dialect.part",
	}
	// sharedMaps and sharedSlices are replaced when they change. The journal may also append to
	// sharedSlices, because the clone's slice has no spare capacity.
	sharedMaps = []string{
		"Journal.sessions.known.clients", "Journal.sessions.known.live", "Journal.watches.several",
		"Journal.waves.times", "Journal.directories", "Journal.notes", "Journal.roster.bySession",
	}
	sharedSlices = []string{
		"Journal.steps", "Journal.ending", "Journal.exchanges.last", "Journal.exchanges.lost", "Journal.reported.last",
		"Journal.reported.deletions.last", "Journal.work.Work.Last", "Journal.properties.Properties.Believers",
		"Journal.past.handoffs", "Journal.past.reigns", "Journal.lanes.holds", "Journal.lanes.left", "Journal.lanes.ours",
		"Journal.lanes.reports", "Journal.lanes.gaps", "Journal.flow", "doctor.lost", "doctor.former.log", "doctor.queues.past", "doctor.suspicions.findings",
	}
	// replacedSlices are never written or appended to.
	replacedSlices = []string{
		"Journal.steps[].On.Children", "Journal.ack.ackZnode.AckState.Data.Bytes", "Journal.ack.all", "Journal.ack.paths", "Journal.expired",
		"Journal.ack.all[].AckState.Data.Bytes", "doctor.risks.all", "Journal.children.queue.parts", "Journal.children.queue.ends",
		"doctor.queues.now.parts", "doctor.queues.now.ends", "doctor.queues.past[].queue.parts", "doctor.queues.past[].queue.ends",
		"Journal.children.rest", "Journal.lanes.holding", "Journal.returned", "Journal.sessions.known.hosts",
		"Journal.rivals.now", "Journal.data.Bytes", "Journal.before.parts", "Journal.before.ends", "Journal.roster.sorted",
	}
	// notCloned are caches, results of the last observation, and waves.shared, which is false in a clone.
	notCloned = []string{"cached", "doctor.suspicions.events", "Journal.cached", "Journal.events.due", "Journal.last", "Journal.children.owned",
		"Journal.waves.shared"}
)

func settable(v reflect.Value) reflect.Value {
	return reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
}

func fill(t *testing.T, path string, v reflect.Value, depth int) {
	if depth > 12 {
		return
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(1)
	case reflect.String:
		v.SetString("x")
	case reflect.Pointer:
		if v.Type() == reflect.TypeFor[*model.State]() && depth > 1 {
			return
		}
		p := reflect.New(v.Type().Elem())
		fill(t, path, p.Elem(), depth+1)
		v.Set(p)
	case reflect.Slice:
		s := reflect.MakeSlice(v.Type(), 1, 4)
		fill(t, path+"[]", s.Index(0), depth+1)
		v.Set(s)
	case reflect.Map:
		m := reflect.MakeMap(v.Type())
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(t, path+"[]", key, depth+1)
		fill(t, path+"[]", value, depth+1)
		m.SetMapIndex(key, value)
		v.Set(m)
	case reflect.Struct:
		if v.Type().PkgPath() == "time" {
			return
		}
		for i := range v.NumField() {
			fill(t, join(path, v.Type().Field(i).Name), settable(v.Field(i)), depth+1)
		}
	case reflect.Interface:
		switch v.Type() {
		case reflect.TypeFor[dialect.Recipe]():
			v.Set(reflect.ValueOf(dialect.Election()))
		case reflect.TypeFor[model.EventBody]():
			v.Set(reflect.ValueOf(model.Joined{}))
		default:
			t.Fatalf("%s: fill has no value for a %s", path, v.Type())
		}
	case reflect.Func:
	case reflect.Array, reflect.Chan:
		t.Fatalf("%s: fill has no value for a %s", path, v.Type())
	}
}

func join(path, name string) string { return strings.TrimPrefix(path+"."+name, ".") }

func compare(path string, a, b reflect.Value, report func(string)) {
	if slices.Contains(notCloned, path) {
		return
	}
	switch a.Kind() {
	case reflect.Pointer:
		switch {
		case a.IsNil() && b.IsNil():
		case a.IsNil() != b.IsNil():
			report(path + " is nil only in the journal or only in the clone")
		case slices.Contains(sharedTypes, a.Type().Elem().String()):
		case a.Pointer() == b.Pointer():
			report(path + ", a pointer to a " + a.Type().Elem().String() + ", is shared")
		default:
			compare(path, a.Elem(), b.Elem(), report)
		}
	case reflect.Map:
		switch {
		case a.Len() != b.Len():
			report(fmt.Sprintf("%s has %d entries, in the clone %d", path, a.Len(), b.Len()))
		case a.Len() == 0 || slices.Contains(sharedMaps, path):
		case a.Pointer() == b.Pointer():
			report(path + ", a map, is shared")
		default:
			for _, k := range a.MapKeys() {
				if v := b.MapIndex(k); v.IsValid() {
					compare(path+"[]", a.MapIndex(k), v, report)
				} else {
					report(fmt.Sprintf("%s lacks %v in the clone", path, k))
				}
			}
		}
	case reflect.Slice:
		shared := a.Len() > 0 && b.Len() > 0 && a.Pointer() == b.Pointer()
		switch {
		case a.Len() != b.Len():
			report(fmt.Sprintf("%s has %d elements, in the clone %d", path, a.Len(), b.Len()))
		case shared && slices.Contains(replacedSlices, path):
		case shared && b.Cap() > b.Len():
			report(path + " is shared with its spare capacity, to which both would append")
		case shared && !slices.Contains(sharedSlices, path):
			report(path + ", a slice, is shared")
		}
		for i := range min(a.Len(), b.Len()) {
			compare(path+"[]", a.Index(i), b.Index(i), report)
		}
	case reflect.Struct:
		if a.Type().PkgPath() == "time" {
			return
		}
		for i := range a.NumField() {
			compare(join(path, a.Type().Field(i).Name), a.Field(i), b.Field(i), report)
		}
	case reflect.Func, reflect.Interface:
	default:
		if x, y := fmt.Sprint(a), fmt.Sprint(b); x != y {
			report(fmt.Sprintf("%s is %s, in the clone %s", path, x, y))
		}
	}
}

func TestCloneSharesNothingThatIsWritten(t *testing.T) {
	j := &Journal{}
	fill(t, "", reflect.ValueOf(j).Elem(), 0)
	c := j.Clone()
	compare("", reflect.ValueOf(j).Elem(), reflect.ValueOf(c).Elem(), func(s string) {
		t.Error(s + ": see the lists at the top of this file")
	})
}
