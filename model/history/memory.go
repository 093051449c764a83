package history

import (
	"reflect"
	"time"

	"electop/model"
	"electop/model/dialect"
	"electop/model/session"
)

// memoryOf estimates the memory of an observation, with its index and what is remembered of
// a child that left.
func memoryOf(o model.Observation) int {
	const each, left = 160, 400
	candidate := int(reflect.TypeFor[dialect.Candidate]().Size())
	n := each + referred(reflect.ValueOf(o))
	switch o := o.(type) {
	case *model.Read:
		return n + len(o.New)*candidate + len(o.Gone)*left
	case *model.Delta:
		return n + candidate + min(1, len(o.Gone))*left
	case *model.Refresh:
		return n + candidate
	case *session.Table:
		return 2 * n // with the doctor's indexes of it
	case *model.Cast, *model.Wake, *model.Pace, *model.Write:
		return 2 * n // with what the journal makes of it
	}
	return n
}

// referred returns the size of what a value refers to.
func referred(v reflect.Value) (n int) {
	switch v.Kind() {
	case reflect.String:
		n = v.Len()
	case reflect.Pointer:
		if !v.IsNil() {
			n = int(v.Type().Elem().Size()) + referred(v.Elem())
		}
	case reflect.Slice:
		n = v.Len() * int(v.Type().Elem().Size())
		for i := 0; i < v.Len() && v.Index(i).Kind() > reflect.Complex128; i++ {
			n += referred(v.Index(i))
		}
	case reflect.Struct:
		for i := 0; i < v.NumField() && v.Type() != reflect.TypeFor[time.Time](); i++ {
			n += referred(v.Field(i))
		}
	}
	return n
}
