package admin

// Want says what a poll asks for besides the status of each server.
type Want struct {
	Watches  bool // the tables of watches
	Sessions bool // connections, sessions and their deadlines
}

func (w Want) tables() bool { return w.Watches || w.Sessions }

// A plan is what one poll asks for.
type plan struct {
	Want
	retry bool // somebody asks: servers that failed or refused are tried again
}
