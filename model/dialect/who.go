package dialect

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"math"
	"net"
	"strconv"
	"strings"
	"unicode/utf8"

	"electop/model/znode"
)

func whoByData(d znode.Data) string {
	if o := object(d); o != nil {
		if who := endpoint(o, 2); who != "" {
			return who
		}
	}
	return shortText(d)
}

func shortText(d znode.Data) string {
	b := d.Bytes
	if len(b) == 0 || len(b) > labelMax || d.Truncated() || !utf8.Valid(b) {
		return ""
	}
	s := strings.TrimSpace(string(b))
	if strings.ContainsAny(s, "\n\x00") {
		return ""
	}
	return s
}

func object(d znode.Data) map[string]any {
	if len(d.Bytes) == 0 || d.Bytes[0] != '{' || d.Truncated() {
		return nil
	}
	var o map[string]any
	if json.Unmarshal(d.Bytes, &o) != nil {
		return nil
	}
	return o
}

func text(o map[string]any, key string) string {
	s, _ := o[key].(string)
	return s
}

// endpoint returns host:port, a host or a pid from JSON such as Mesos' MasterInfo. deep bounds the nesting.
func endpoint(o map[string]any, deep int) string {
	for _, key := range []string{"hostname", "host", "ip", "address"} {
		host := text(o, key)
		if host == "" {
			continue
		}
		if port := number(o["port"]); port != "" {
			return net.JoinHostPort(host, port)
		}
		return host
	}
	if deep == 0 {
		return ""
	}
	for _, key := range []string{"address", "serviceEndpoint"} {
		if in, ok := o[key].(map[string]any); ok {
			if who := endpoint(in, deep-1); who != "" {
				return who
			}
		}
	}
	return text(o, "pid") // libprocess: master@10.0.0.1:5050
}

func number(v any) string {
	switch v := v.(type) {
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return strconv.FormatInt(int64(v), 10)
		}
	case string:
		if _, err := strconv.ParseUint(v, 10, 16); err == nil {
			return v
		}
	}
	return ""
}

func bySession(c *Candidate, session string) string {
	if who := whoByData(c.Data); who != "" || session == "" {
		return who
	}
	return "session " + session
}

func kafkaBroker(c *Candidate, _ string) string {
	if id := number(object(c.Data)["brokerid"]); id != "" {
		return "broker " + id
	}
	return ""
}

func patroniMember(z *znode.Znode, p *Program) {
	o := object(z.Data)
	switch p.State = text(o, "state"); p.State {
	case "", "running", "streaming", "in archive recovery":
	case "stopped", "crashed", "start failed", "restart failed":
		p.Down, p.Cannot = true, p.State
	default:
		p.Cannot = p.State
	}
	tags, _ := o["tags"].(map[string]any)
	if no, _ := tags["nofailover"].(bool); no {
		p.Cannot = "nofailover"
	}
	if paused, _ := o["pause"].(bool); paused {
		p.Off = "Patroni is paused"
	}
}

func helixLeader(c *Candidate, _ string) string {
	o := object(c.Data)
	fields, _ := o["simpleFields"].(map[string]any)
	return cmp.Or(text(fields, "LEADER"), text(o, "id"))
}

// pulsarBroker returns the broker's id or, for older brokers, the host and port of its URL.
func pulsarBroker(c *Candidate, _ string) string {
	o := object(c.Data)
	url := text(o, "serviceUrl")
	if url == "" {
		return ""
	}
	_, host, _ := strings.Cut(url, "://")
	return cmp.Or(text(o, "brokerId"), host)
}

func jsonText(c *Candidate, _ string) string {
	if len(c.Data.Bytes) == 0 || c.Data.Bytes[0] != '"' || c.Data.Truncated() {
		return ""
	}
	var s string
	if json.Unmarshal(c.Data.Bytes, &s) != nil {
		return ""
	}
	return s
}

func schemaRegistry(c *Candidate, _ string) string {
	o := object(c.Data)
	if _, ok := o["master_eligibility"].(bool); !ok {
		return ""
	}
	return endpoint(o, 0)
}

func canalAddress(c *Candidate, _ string) string {
	o := object(c.Data)
	if _, ok := o["active"].(bool); !ok {
		return ""
	}
	return text(o, "address")
}

// bookieVote reads the id of a bookie from a protobuf message in text form.
func bookieVote(c *Candidate, _ string) string {
	_, quoted, _ := strings.Cut(string(c.Data.Bytes), `bookieId: "`)
	id, _, ended := strings.Cut(quoted, `"`)
	if !ended {
		return ""
	}
	return id
}

// accumuloServer reads JSON (since 3.0), or an older text: "address" or "service=address".
func accumuloServer(c *Candidate, _ string) string {
	if all, _ := object(c.Data)["descriptors"].([]any); len(all) > 0 {
		first, _ := all[0].(map[string]any)
		return text(first, "address")
	}
	service, _, _ := strings.Cut(shortText(c.Data), ";")
	if _, address, ok := strings.Cut(service, "="); ok {
		return address
	}
	return service
}

// hbaseMaster reads a ServerName from a protobuf message.
func hbaseMaster(c *Candidate, _ string) string {
	b := c.Data.Bytes
	if len(b) >= 5 && b[0] == 0xff { // RecoverableZooKeeper's header: the length, then the writer's id and a salt
		n := uint64(binary.BigEndian.Uint32(b[1:5]))
		if n > uint64(len(b)-5) {
			return ""
		}
		b = b[5+n:]
	}
	b, ok := bytes.CutPrefix(b, []byte("PBUF"))
	if !ok {
		return ""
	}
	name := message(message(b)[1].text)
	return hostPort(name[1], name[2])
}

// hadoopActive reads ActiveNodeInfo (HDFS) or ActiveRMInfoProto (YARN).
func hadoopActive(c *Candidate, _ string) string {
	m := message(c.Data.Bytes)
	if who := hostPort(m[3], m[4]); who != "" {
		return who
	}
	return printable(m[2].text)
}

// Last returns the name of the last leader according to c's data.
func (d *Dialect) Last(c *Candidate) (who string, fence bool) {
	if who = d.Who(c); who == "" || !d.beside.fences {
		return who, false
	}
	node := message(c.Data.Bytes)
	if node[4].varint == 0 { // no port: YARN, which does not fence
		return who, false
	}
	return znode.Safe(printable(node[2].text)+" ("+who+")", 0), true
}

func hostPort(host, port field) string {
	name := printable(host.text)
	if name == "" || port.varint == 0 || port.varint > math.MaxUint16 {
		return name
	}
	return net.JoinHostPort(name, strconv.FormatUint(port.varint, 10))
}

func printable(b []byte) string {
	if !utf8.Valid(b) || len(b) > znode.DataMax {
		return ""
	}
	return string(b)
}

type field struct {
	text   []byte
	varint uint64
}

// message decodes the first fields of a protobuf message, nil if they are malformed. The last value of a field counts.
func message(b []byte) map[uint64]field {
	const maxFields = 32
	out := make(map[uint64]field)
	for len(b) > 0 && len(out) < maxFields {
		tag, n := binary.Uvarint(b)
		if n <= 0 || tag>>3 == 0 {
			return nil
		}
		b = b[n:]
		var f field
		switch tag & 7 {
		case 0:
			if f.varint, n = binary.Uvarint(b); n <= 0 {
				return nil
			}
			b = b[n:]
		case 1, 5:
			size := 8
			if tag&7 == 5 {
				size = 4
			}
			if len(b) < size {
				return nil
			}
			b = b[size:]
		case 2:
			size, n := binary.Uvarint(b)
			if n <= 0 || size > uint64(len(b)-n) {
				return nil
			}
			f.text, b = b[n:n+int(size)], b[n+int(size):]
		default:
			return nil
		}
		out[tag>>3] = f
	}
	return out
}

func byName(z *znode.Znode) string { return z.Name }
