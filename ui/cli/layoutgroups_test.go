package cli_test

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"path"
)

// A group is a directory of members, of which none leads. each is the name of one and
// its data; numbered: the server adds a number.
type group struct {
	system string
	at     string
	each   func(w *tree, at string, i int) (name, data string, numbered bool)
}

// groups are registries: nobody leads there, whatever their names look like.
func groups() []system {
	var out []system
	for _, g := range []group{
		{"HBase region servers", "/hbase-unsecure/rs", func(w *tree, _ string, i int) (string, string, bool) {
			return fmt.Sprintf("rs%d.example.com,16020,%s", i, w.millis()), "", false
		}},
		{"HBase backup masters", "/hbase/backup-masters", func(w *tree, _ string, i int) (string, string, bool) {
			return fmt.Sprintf("m%d,16000,%s", i, w.millis()), "", false
		}},
		{"Accumulo's tablet servers", "/accumulo/*/tservers/ts1:9997", func(w *tree, _ string, i int) (string, string, bool) {
			return w.pick("zlock-", zlock(w, i)), "TSERV_CLIENT=ts1:9997", true
		}},
		{"HiveServer2", "/hiveserver2", func(_ *tree, _ string, i int) (string, string, bool) {
			return fmt.Sprintf("serverUri=hs%d:10000;version=3.1.3;sequence=", i), fmt.Sprintf("hive.server2.instance.uri=hs%d:10000;hive.server2.authentication=NONE", i), true
		}},
		{"Kyuubi", "/kyuubi", func(w *tree, _ string, i int) (string, string, bool) {
			return fmt.Sprintf("serverUri=k%d:10009;version=1.8.0;refId=%s;sequence=", i, w.uuid()), fmt.Sprintf("k%d:10009", i), true
		}},
		{"HiveServer2 HA instances", "/hs2ActivePassiveHA-unsecure/instances", func(_ *tree, _ string, i int) (string, string, bool) {
			return "instance-", fmt.Sprintf(`{"type":"JSONServiceRecord","description":"hs%d"}`, i), true
		}},
		{"LLAP", "/llap-unsecure/user-hive/llap0/workers", func(_ *tree, _ string, i int) (string, string, bool) {
			if i%2 == 0 {
				return "worker-", `{"type":"JSONServiceRecord","internal":[]}`, true
			}
			return fmt.Sprintf("slot-%010d", i/2), "7c9e6679", false
		}},
		{"Curator ServiceDiscovery", "/services/*", func(w *tree, at string, i int) (string, string, bool) {
			id := w.uuid()
			return id, fmt.Sprintf(`{"name":%q,"id":%q,"address":%q,"port":8080,"sslPort":null,"payload":null,"registrationTimeUTC":1795187631811,"serviceType":"DYNAMIC","uriSpec":null}`, path.Base(at), id, ip(i)), w.r.IntN(2) == 0
		}},
		{"Dubbo", "/dubbo/com.foo.BarService/providers", func(w *tree, _ string, i int) (string, string, bool) {
			return url.QueryEscape(fmt.Sprintf("dubbo://%s:20880/com.foo.BarService?application=bar&side=provider&timestamp=%s", ip(i), w.millis())), "", false
		}},
		{"Nerve", "/nerve/services/web", func(w *tree, _ string, i int) (string, string, bool) {
			id := w.pick("n", "info", "lock-", "json.info", "ex", "ballot", "le", "member", "latch", w.uuid(), w.hex32()+"-n", w.hex32()+"__lock_", fmt.Sprintf("i-0a1b2c%d", i))
			return id + "_", fmt.Sprintf(`{"host":%q,"port":8080,"name":%q}`, ip(i), id), true
		}},
		{"Nerve with path encoding", "/nerve/services/web", func(w *tree, _ string, i int) (string, string, bool) {
			id := fmt.Sprintf("i-0a1b2c%d", i)
			encoded := base64.RawURLEncoding.EncodeToString([]byte(id))
			return fmt.Sprintf("base64_%d_%s_", len(encoded), encoded), fmt.Sprintf(`{"host":%q,"port":8080,"name":%q}`, ip(i), id), true
		}},
		{"ServerSet", "/serverset/*", func(_ *tree, _ string, i int) (string, string, bool) {
			return "member_", fmt.Sprintf(`{"serviceEndpoint":{"host":%q,"port":8080},"additionalEndpoints":{},"status":"ALIVE"}`, ip(i)), true
		}},
		{"kazoo Party", "/party/*", func(w *tree, _ string, i int) (string, string, bool) { return w.hex32() + "__party__", ip(i), false }},
		{"kazoo ShallowParty", "/party/*", func(w *tree, _ string, i int) (string, string, bool) {
			return w.hex32() + "-" + w.pick("i-1234567890", "web-0000000003", fmt.Sprint("host", i)) + fmt.Sprint(i), "", false
		}},
		{"Curator GroupMember", "/group/*", func(w *tree, _ string, i int) (string, string, bool) {
			return fmt.Sprintf("%s-%010d", ip(i), w.r.IntN(40)), ip(i), false
		}},
		{"ClickHouse temporary locks", "/clickhouse/tables/*/temp", func(*tree, string, int) (string, string, bool) { return "abandonable_lock-", "", true }},
		{"ClickHouse block numbers", "/clickhouse/tables/*/block_numbers/all", func(*tree, string, int) (string, string, bool) {
			return "block-", "/clickhouse/temp/abandonable_lock-insert", true
		}},
		{"Solr live nodes", "/solr/live_nodes", func(_ *tree, _ string, i int) (string, string, bool) { return ip(i) + ":8983_solr", "", false }},
		{"Storm nimbuses", "/storm/nimbuses", func(_ *tree, _ string, i int) (string, string, bool) {
			return fmt.Sprintf("n%d:6627", i), "", false
		}},
		{"Druid nodes", "/druid/internal-discovery/COORDINATOR", func(_ *tree, _ string, i int) (string, string, bool) {
			return fmt.Sprintf("c%d:8081", i), "{}", false
		}},
		{"Mesos replicas", "/mesos/log_replicas", func(*tree, string, int) (string, string, bool) { return "", "", true }},
		{"names of each member's own", "/nodes", func(w *tree, _ string, i int) (string, string, bool) {
			return w.pick("worker-", "i-", "") + fmt.Sprintf("host%d_", i), "", true
		}},
		{"guids", "/registry", func(w *tree, _ string, _ int) (string, string, bool) { return w.uuid(), "", false }},
	} {
		out = append(out, system{g.system, func(w *tree, root string) owner {
			at := root + w.fill(g.at)
			w.dir(at)
			w.stir(at)
			var all []string
			for i := range w.some() {
				name, data, numbered := g.each(w, at, i)
				if numbered {
					all = append(all, w.join(i, at+"/"+name, data))
				} else {
					all = append(all, w.own(i, at+"/"+name, data))
				}
			}
			if len(all) > 1 && w.r.IntN(3) == 0 {
				w.gone(all[w.r.IntN(len(all))])
			}
			return nobody(at, path.Dir(at))
		}})
	}
	return append(out, system{"a work queue", func(w *tree, root string) owner {
		w.dir(root + "/queue")
		for range w.some() {
			w.queue(root+"/queue/qn-", "job")
		}
		return nobody(root + "/queue")
	}})
}
