package cli_test

import "fmt"

// alone are the systems whose leader has the only znode of the election.
func alone() []system {
	return []system{
		lone("Kafka", "/controller", func(w *tree, root string) {
			w.put(root+"/controller_epoch", "7")
			w.put(root+"/brokers/topics", "")
			for i := range w.some() {
				w.own(i, fmt.Sprintf("%s/brokers/ids/%d", root, i+1), fmt.Sprintf(`{"listener_security_protocol_map":{"PLAINTEXT":"PLAINTEXT"},"endpoints":["PLAINTEXT://k%d:9092"],"jmx_port":-1,"features":{},"host":"k%d","timestamp":"1795187631000","port":9092,"version":5}`, i+1, i+1))
			}
		}, func(w *tree) string {
			return w.pick(`{"version":2,"brokerid":1,"timestamp":"1795187631811","kraftControllerEpoch":-1}`, `{"version":1,"brokerid":3,"timestamp":"1795187631811"}`)
		}, "/brokers/ids", "/brokers"),
		lone("HBase", "/hbase/master", func(w *tree, root string) {
			w.put(root+"/hbase/hbaseid", "x")
			w.put(root+"/hbase/running", "x")
			for i := range w.some() {
				w.own(i, fmt.Sprintf("%s/hbase/rs/rs%d.example.com,16020,%s", root, i+1, w.millis()), "")
			}
			for i := range w.some() {
				w.own(i, fmt.Sprintf("%s/hbase/backup-masters/m%d,16000,%s", root, i+1, w.millis()), "")
			}
		}, func(*tree) string {
			return "\xff\x00\x00\x00\x13master:16000\x12\x34\x56\x78\x9a\xbc\xde\xf0PBUF\n\x11\n\x02m1\x10\x80}\x18\xe3\xd1\xa2\xb4\xf9\x33\x10\x00\x18\x8a}"
		}, "/hbase/rs", "/hbase/backup-masters", "/hbase"),
		{"Hadoop", hadoop},
		lone("Patroni", "/service/batman/leader", patroni("/service/batman"), func(*tree) string { return "pg1" }, "/service/batman/members", "/service/batman"),
		lone("Patroni with Citus", "/service/pg/0/leader", patroni("/service/pg/0"), func(*tree) string { return "pg1" }, "/service"),
		lone("Helix", "/pinot/CONTROLLER/LEADER", func(w *tree, root string) {
			w.put(root+"/pinot/IDEALSTATES", "")
			w.put(root+"/pinot/CONFIGS", "")
			for i := range w.some() {
				w.own(i, fmt.Sprintf("%s/pinot/LIVEINSTANCES/%s_host%d_8098", root, w.pick("Server", "Controller", "Broker"), i), "")
			}
		}, func(*tree) string {
			return `{"id":"host1_9000","simpleFields":{"HELIX_VERSION":"1.3.1","LIVE_INSTANCE":"12@host1","SESSION_ID":"1000018cb9a0003"},"mapFields":{},"listFields":{}}`
		}, "/pinot/LIVEINSTANCES", "/pinot/CONTROLLER", "/pinot"),
		lone("Pulsar", "/loadbalance/leader", func(w *tree, root string) {
			w.put(root+"/loadbalance/bundle-data", "")
			brokers(w, root)
		}, func(w *tree) string {
			return w.pick(`{"brokerId":"b1:8080","serviceUrl":"http://b1:8080"}`, `{"serviceUrl":"http://b1:8080"}`)
		}, "/loadbalance/brokers", "/loadbalance"),
		lone("Pulsar with the extensible load manager", "/loadbalance/extension/leader", func(w *tree, root string) {
			w.dir(root + "/loadbalance/extension")
			brokers(w, root)
		}, func(*tree) string { return `{"brokerId":"b1:8080","serviceUrl":"http://b1:8080"}` }, "/loadbalance/brokers", "/loadbalance/leader"),
		lone("BookKeeper with Pulsar's metadata driver", "/ledgers/underreplication/leader", func(w *tree, root string) {
			w.dir(root + "/ledgers/underreplication/ledgers")
			bookies(w, root)
		}, func(*tree) string { return `"bookie1:3181"` }, "/ledgers/underreplication", "/ledgers/available"),
		lone("Schema Registry", "/schema_registry/schema_registry_master", func(w *tree, root string) {
			w.put(root+"/schema_registry/schema_id_counter", "20")
		}, func(*tree) string {
			return `{"host":"sr1","port":8081,"master_eligibility":true,"scheme":"http","version":1}`
		}, "/schema_registry"),
		lone("Canal", "/otter/canal/destinations/orders/running", canal, func(*tree) string { return `{"active":true,"address":"10.0.0.1:11111"}` },
			"/otter/canal/cluster", "/otter/canal/destinations/orders/cluster", "/otter/canal/destinations/orders", "/otter/canal/destinations/orders/1001/running"),
		lone("Canal client", "/otter/canal/destinations/orders/1001/running", canal, func(*tree) string { return `{"active":true,"address":"10.0.0.9:53412","clientId":1001}` },
			"/otter/canal/destinations/orders/1001", "/otter/canal/destinations/orders/running"),
		{"another's controller", func(w *tree, root string) owner {
			// Whoever names the path says that it is an election.
			at := w.pick("/*/controller", "/*/master", "/*/leader", "/service/*/leader", "/*/CONTROLLER/LEADER", "/loadbalance/leader",
				"/ledgers/underreplication/leader", "/*/schema_registry_master", "/otter/canal/destinations/*/running")
			path := w.own(0, root+w.fill(at), w.pick("host1", `{"host":"h1","port":80}`, ""))
			o := nobody(path)
			o.named = map[string][]string{path: {path}}
			return o
		}},
	}
}

// hadoop's active node writes its lock's data into the bread crumb before it acts, and
// after it has fenced the node that the crumb names.
func hadoop(w *tree, root string) owner {
	dir := root + w.fill("/hadoop-ha/*")
	node := func(i int) string { return fmt.Sprintf("\n\x02ns\x12\x03nn%d\x1a\x02m%d \xd4>(\xd3>", i, i) }
	lock, crumb := w.r.IntN(3), w.r.IntN(3) // 0: there is none
	w.dir(dir)
	if crumb > 0 {
		w.put(dir+"/ActiveBreadCrumb", node(crumb))
	}
	path := dir + "/ActiveStandbyElectorLock"
	o := nobody(path)
	if lock > 0 {
		w.own(w.r.IntN(mostMembers), path, node(lock))
		if lock == crumb {
			o = led(path, path)
		}
	}
	o.leads[dir], o.leads[root+"/hadoop-ha"] = nil, nil
	return o
}

// lone is a system whose leader's znode is at path, with what else there is beside it.
// The other paths are not elections.
func lone(name, at string, beside func(w *tree, root string), data func(w *tree) string, others ...string) system {
	return system{name, func(w *tree, root string) owner {
		beside(w, root)
		path := root + w.fill(at)
		var o owner
		switch w.r.IntN(4) {
		case 0: // nobody has created it yet
			o = nobody(path)
		case 1: // it was deleted
			w.own(w.r.IntN(mostMembers), path, data(w))
			w.gone(path)
			o = nobody(path)
		default:
			w.own(w.r.IntN(mostMembers), path, data(w))
			o = led(path, path)
		}
		for _, other := range others {
			o.leads[root+other] = nil
		}
		return o
	}}
}

// brokers are Pulsar's, bookies BookKeeper's.
func brokers(w *tree, root string) {
	for i := range w.some() {
		w.own(i, fmt.Sprintf("%s/loadbalance/brokers/b%d:8080", root, i+1), fmt.Sprintf(`{"webServiceUrl":"http://b%d:8080"}`, i+1))
	}
}

func bookies(w *tree, root string) {
	for i := range w.some() {
		w.own(i, fmt.Sprintf("%s/ledgers/available/bookie%d:3181", root, i+1), "")
	}
}

// canal has servers for a destination, and a client that is not always there.
func canal(w *tree, root string) {
	w.put(root+"/otter/canal/destinations/orders/1001/cursor", "{}")
	for i := range w.some() {
		w.own(i, fmt.Sprintf("%s/otter/canal/cluster/10.0.0.%d:11111", root, i+1), "")
		w.own(i, fmt.Sprintf("%s/otter/canal/destinations/orders/cluster/10.0.0.%d:11111", root, i+1), "")
	}
}

func patroni(at string) func(w *tree, root string) {
	return func(w *tree, root string) {
		w.put(root+at+"/initialize", "7012345678901234567")
		w.put(root+at+"/config", `{"ttl":30,"loop_wait":10,"retry_timeout":10,"maximum_lag_on_failover":1048576}`)
		for i := range w.some() {
			w.own(i, fmt.Sprintf("%s%s/members/pg%d", root, at, i+1), fmt.Sprintf(`{"conn_url":"postgres://10.0.0.%d:5432/postgres","state":"running","role":"replica"}`, i+1))
		}
	}
}
