package command

import "cmp"

func parseServerStats(b []byte) (Status, error) {
	var v struct {
		envelope
		Version string `json:"version"`
		Stats   *struct {
			State       string `json:"server_state"`
			Zxid        int64  `json:"last_processed_zxid"`
			Connections int    `json:"num_alive_client_connections"`
		} `json:"server_stats"`
	}
	if err := unpack(b, "server_stats", &v); err != nil {
		return Status{}, err
	}
	if v.Version == "" || v.Stats == nil || v.Stats.State == "" {
		return Status{}, malformed("server_stats: no version or no state")
	}
	return Status{
		Version:     shortVersion(v.Version),
		Mode:        modeNamed(v.Stats.State),
		Zxid:        v.Stats.Zxid,
		Connections: max(v.Stats.Connections, 0),
	}, nil
}

// parseCount reads the number of watches in the answer to monitor or
// watch_summary.
func parseCount(command string) func(b []byte) (int, error) {
	return func(b []byte) (int, error) {
		var v struct {
			envelope
			Watches *int `json:"watch_count"`
			Total   *int `json:"num_total_watches"`
		}
		if err := unpack(b, command, &v); err != nil {
			return 0, err
		}
		n := cmp.Or(v.Watches, v.Total)
		if n == nil || *n < 0 {
			return 0, malformed("%s: no number of watches", command)
		}
		return *n, nil
	}
}

func parseConfiguration(b []byte) (Identity, error) {
	var v struct {
		envelope
		ID   *int  `json:"server_id"`
		Port int   `json:"client_port"`
		Tick int64 `json:"tick_time"`
	}
	if err := unpack(b, "configuration", &v); err != nil {
		return Identity{}, err
	}
	if v.ID == nil {
		return Identity{}, malformed("configuration: no server_id")
	}
	tick, err := milliseconds(v.Tick)
	return Identity{Number: *v.ID, Port: v.Port, Tick: tick}.checked(), err
}
