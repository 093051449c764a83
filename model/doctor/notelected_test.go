package doctor_test

import (
	"testing"
	"time"

	"electop/model"
	"electop/model/znode"
)

// A group of ActiveMQ elects again in the data of its members, while no child comes
// or goes.
func TestNotElected(t *testing.T) {
	c := newClinic(t, model.Config{Path: "/activemq"})
	state := func(address, elected string) string {
		return `{"id":"b","address":` + address + `,"position":1,"weight":1,"elected":` + elected + `}`
	}
	first := c.Tree.Create("0", true, 1, state("null", `"0000000001"`))
	second := c.Tree.Create("0", true, 2, state(`"tcp://10.0.0.2:61619"`, "null"))
	c.look()
	c.leads(2, "")
	c.pass(2 * time.Minute)
	c.has()
	refresh := func(name, data string) {
		z := c.Tree.Children[name]
		z.Data = znode.NewData([]byte(data))
		c.put(&model.Refresh{At: c.Tree.Now, Znode: z})
	}
	refresh(first, state("null", "null"))
	c.leads(0, model.NotElected)
	refresh(second, state("null", "null"))
	c.leads(0, model.NotElected)
	c.pass(59 * time.Second)
	c.has()
	c.pass(2 * time.Second)
	c.has("not-elected critical")
	refresh(first, state(`"tcp://10.0.0.1:61619"`, `"0000000000"`))
	c.leads(1, "")
	c.has()
	if n := len(c.J.State().Handoffs); n != 2 { // to nobody, and from nobody
		t.Errorf("%d handoffs", n)
	}
}
