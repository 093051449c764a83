package command

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

func parseMonitor(b []byte) (Counts, error) {
	var v struct {
		envelope
		Watches *int `json:"watch_count"`
		Expired *int `json:"stale_sessions_expired"`
	}
	if err := unpack(b, "monitor", &v); err != nil {
		return Counts{}, err
	}
	if v.Watches == nil || *v.Watches < 0 || v.Expired != nil && *v.Expired < 0 {
		return Counts{}, malformed("monitor: no counts")
	}
	return Counts{*v.Watches, v.Expired}, nil
}

// parseWatchSummary returns the number of watches on data and existence.
func parseWatchSummary(b []byte) (int, error) {
	var v struct {
		envelope
		Total *int `json:"num_total_watches"`
	}
	if err := unpack(b, "watch_summary", &v); err != nil {
		return 0, err
	}
	if v.Total == nil || *v.Total < 0 {
		return 0, malformed("watch_summary: no number of watches")
	}
	return *v.Total, nil
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
