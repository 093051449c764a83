package check

import (
	"fmt"
	"path/filepath"
	"time"

	"electop/model"
	"electop/model/znode"
	"electop/ui/cli/cluster"
	"electop/ui/cli/election"
	"electop/ui/cli/process"
	"electop/zkwatch/admin"
	"electop/zkwatch/feed"
)

// A recording records a world. With Config.Leading, the instances are recorded as electop's own candidates, so that
// a replay shows what each believes. A nil recording records nothing.
type recording struct {
	file  string
	watch *election.Elections
	tasks *process.Tasks
}

const tableInterval = 500 * time.Millisecond

func (w *world) startRecording() error {
	if w.p.Record == "" || w.p.dir == "" {
		return nil
	}
	r := &recording{file: filepath.Join(w.p.Record, w.check.Name+".jsonl")}
	path := w.p.dir
	if w.p.single != "" {
		path = znode.Join(path, w.p.single)
	}
	var err error
	r.watch, err = election.New(election.Config{
		Conn: w.config(), Requests: cluster.Requests{Mode: admin.FourLetter, Interval: tableInterval, Sessions: tableInterval, Heavy: true},
		Elections: []model.Config{{Path: path, Cluster: "electop check " + w.check.Name}},
		Record:    election.Recording{File: r.file}, Notice: func(string) {}, Log: w.p.Log, ByReads: true,
	})
	if err != nil {
		return fmt.Errorf("check %s: %w", w.check.Name, err)
	}
	r.tasks = process.NewTasks(w.ctx)
	r.watch.Start(r.tasks)
	w.rec = r
	return nil
}

// close ends the recording and returns its file, "" for none. If at is not zero, a replay opens paused at that time.
func (r *recording) close(at time.Time) (file string) {
	if r == nil {
		return ""
	}
	_ = r.tasks.Stop() // the check has its result without the recording
	r.watch.Close()
	if !at.IsZero() {
		_ = feed.SetOpens(r.file, at) // the check has its result without it
	}
	return r.file
}

func (w *world) record(in *instance) {
	if w.rec == nil || w.p.Leading == nil {
		return
	}
	m := model.Member{ID: in.id, Name: in.id, Belief: model.Volunteering, Session: uint64(in.facts().session)}
	if own := w.candidatesOf(in); len(own) > 0 {
		m.Znode, m.Fence = own[0].Name, own[0].Czxid
	}
	switch {
	case in.leads():
		m.Belief = model.Leading
	case w.takesPart(in):
		m.Belief = model.Waiting
	}
	gone := in.ended() && m.Znode == ""
	in.mu.Lock()
	defer in.mu.Unlock()
	m.Fault = in.now.fault
	if state := fmt.Sprint(m, gone); state != in.now.recorded {
		in.now.recorded = state
		w.rec.watch.First().Feed.Put(&model.Cast{At: feed.Now(), Member: m, Gone: gone})
	}
}
