package command

import "electop/model/session"

type jsonConn struct {
	Addr         string      `json:"remote_socket_address"`
	Session      jsonSession `json:"session_id"`
	Timeout      int64       `json:"session_timeout"`
	LastOp       string      `json:"last_operation"`
	Established  int64       `json:"established"`
	LastResponse int64       `json:"last_response_time"`
	Received     int64       `json:"packets_received"`
	Outstanding  int         `json:"outstanding_requests"`
}

func (v *jsonConn) conn() (session.Client, error) {
	timeout, err := milliseconds(v.Timeout)
	if err != nil {
		return session.Client{}, err
	}
	established, err := milliseconds(v.Established)
	if err != nil {
		return session.Client{}, err
	}
	response, err := milliseconds(v.LastResponse)
	return session.Client{
		Session: uint64(v.Session), Addr: clientAddr(v.Addr), Timeout: timeout, LastOp: lastOp(v.LastOp),
		Established: since1970(established), LastResponse: response, Received: v.Received, Outstanding: v.Outstanding,
	}, err
}

// parseConnections reads the connections to both ports of the server, if its
// release lists both.
func parseConnections(b []byte) (Connections, error) {
	var v struct {
		envelope
		Plain  *[]jsonConn `json:"connections"`
		Secure *[]jsonConn `json:"secure_connections"`
	}
	if err := unpack(b, "connections", &v); err != nil {
		return Connections{}, err
	}
	if v.Plain == nil {
		return Connections{}, malformed("connections: no list")
	}
	all := Connections{BothPorts: v.Secure != nil}
	for _, list := range []*[]jsonConn{v.Plain, v.Secure} {
		if list == nil {
			continue
		}
		for i := range *list {
			c, err := (*list)[i].conn()
			if err != nil {
				return Connections{}, err
			}
			if c.Addr != "" { // otherwise it was closed meanwhile
				all.List = append(all.List, c)
			}
		}
	}
	return all, nil
}
