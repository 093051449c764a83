package zkserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// The AdminServer needs no authentication, so its resources are bounded.
const (
	adminConnections = 32
	adminRequest     = 8 << 10 // bytes of the request line and headers
	adminRead        = 5 * time.Second
	adminWrite       = 30 * time.Second
	adminIdle        = 30 * time.Second
)

const adminRoot = "/commands"

// ServeAdmin serves commands of Apache's AdminServer over HTTP on l, for GET and HEAD, without
// authentication. As in Apache, an unknown command has status 200 and an error in the JSON.
// ServeAdmin returns nil after [Server.Close], [ErrClosed] if the server is already closed, and otherwise an error
// of l. ServeAdmin closes l and all accepted connections.
func (s *Server) ServeAdmin(l net.Listener) error {
	var open atomic.Int64
	server := &http.Server{
		Handler:                      http.HandlerFunc(s.admin),
		DisableGeneralOptionsHandler: true, // package http would answer OPTIONS *
		ReadTimeout:                  adminRead,
		WriteTimeout:                 adminWrite,
		IdleTimeout:                  adminIdle,
		MaxHeaderBytes:               adminRequest,
		ErrorLog:                     slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
		ConnState: func(c net.Conn, state http.ConnState) {
			switch state {
			case http.StateNew:
				s.wg.Add(1)
				if open.Add(1) > adminConnections {
					c.Close()
				}
			case http.StateClosed:
				open.Add(-1)
				s.wg.Done()
			}
		},
	}
	if !s.listen(l, false) {
		return ErrClosed
	}
	defer s.wg.Done()
	err := server.Serve(l) // retries after temporary errors
	server.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	delete(s.listeners, l)
	return fmt.Errorf("zkserver: admin on %s: %w", l.Addr(), err)
}

func (s *Server) admin(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "Method Not Allowed", http.StatusMethodNotAllowed)
		return
	}
	name, ok := strings.CutPrefix(r.URL.Path, adminRoot)
	var body bytes.Buffer
	kind := "application/json"
	switch {
	case !ok, name != "" && name[0] != '/':
		http.NotFound(w, r)
		return
	case len(name) <= 1:
		kind = "text/html; charset=utf-8"
		for _, name := range slices.Sorted(maps.Keys(adminCommands)) {
			fmt.Fprintf(&body, "<a href=\"%s/%s\">%[2]s</a>\n<br/>\n", adminRoot, name)
		}
	default:
		e := json.NewEncoder(&body)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		e.Encode(s.adminAnswer(name[1:])) // cannot fail: JSON can represent every answer
	}
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Length", strconv.Itoa(body.Len()))
	w.Write(body.Bytes())
}

type object map[string]any

var adminCommands = map[string]func(*Server) object{
	"configuration":   adminConf,
	"connections":     adminConns,
	"dump":            adminDump,
	"monitor":         adminGauges,
	"ruok":            func(*Server) object { return object{} },
	"server_stats":    adminStats,
	"watch_summary":   adminWatchSummary,
	"watches_by_path": func(s *Server) object { return object{"path_to_session_ids": s.watchesByPath()} },
}

func (s *Server) adminAnswer(name string) object {
	command := adminCommands[name]
	if command == nil {
		return object{"command": name, "error": "Unknown command: " + name}
	}
	answer := command(s)
	answer["command"], answer["error"] = name, nil
	return answer
}

func adminConf(s *Server) object {
	return object{
		"client_port":                s.clientPort(),
		"data_dir":                   "",
		"data_log_dir":               "",
		"tick_time":                  s.opts.Tick.Milliseconds(),
		"max_client_cnxns":           s.opts.MaxClientCnxns,
		"min_session_timeout":        s.opts.MinSessionTimeout.Milliseconds(),
		"max_session_timeout":        s.opts.MaxSessionTimeout.Milliseconds(),
		"server_id":                  0,
		"client_port_listen_backlog": -1,
	}
}

func adminStats(s *Server) object {
	s.mu.Lock()
	defer s.mu.Unlock()
	k, l := &s.counters, &s.latency
	size := object{"last_buffer_size": k.lastReply, "min_buffer_size": k.leastReply, "max_buffer_size": k.mostReply}
	return object{
		"version":   version,
		"read_only": false,
		"server_stats": object{
			"packets_sent":                 k.sent,
			"packets_received":             k.received,
			"fsync_threshold_exceed_count": 0,
			"client_response_stats":        size,
			"provider_null":                false,
			"data_dir_size":                0,
			"log_dir_size":                 0,
			"server_state":                 "standalone",
			"last_processed_zxid":          s.zxid,
			"outstanding_requests":         0,
			"avg_latency":                  json.Number(l.average()),
			"max_latency":                  l.longest.Milliseconds(),
			"min_latency":                  l.least.Milliseconds(),
			"num_alive_client_connections": s.alive,
			"uptime":                       s.elapsed().Milliseconds(),
			"auth_failed_count":            k.authFailed,
			"non_mtlsremote_conn_count":    0,
			"non_mtlslocal_conn_count":     0,
		},
		"client_response": size,
		"node_count":      s.nodes(),
	}
}

func adminConns(s *Server) object {
	all := []object{}
	for _, c := range s.connections() {
		var last any
		if c.lastOp != "" {
			last = c.lastOp
		}
		all = append(all, object{
			"remote_socket_address": c.remote,
			"interest_ops":          1,
			"outstanding_requests":  0,
			"packets_received":      c.received,
			"packets_sent":          c.sent,
			"session_id":            c.session,
			"last_operation":        last,
			"established":           c.established.UnixMilli(),
			"session_timeout":       c.timeout.Milliseconds(),
			"last_cxid":             int(c.lastXid),
			"last_zxid":             c.lastZxid,
			"last_response_time":    c.lastReply.Milliseconds(),
			"last_latency":          c.lastLatency.Milliseconds(),
			"min_latency":           c.latency.least.Milliseconds(),
			"avg_latency":           c.latency.mean().Milliseconds(),
			"max_latency":           c.latency.longest.Milliseconds(),
		})
	}
	return object{"connections": all, "secure_connections": []object{}}
}

func adminDump(s *Server) object {
	expiry, paths := s.dump()
	inMs := make(map[int64][]int64)
	for at, ids := range expiry {
		inMs[at.Milliseconds()] = append(inMs[at.Milliseconds()], ids...)
	}
	return object{"expiry_time_to_session_ids": inMs, "session_id_to_ephemeral_paths": paths}
}

func adminWatchSummary(s *Server) object {
	watchers, paths, total := s.dataWatches()
	return object{"num_connections": watchers, "num_paths": paths, "num_total_watches": total}
}

func adminGauges(s *Server) object {
	o := make(object)
	for _, g := range s.gauges() {
		o[g.key] = g.value
	}
	return o
}
