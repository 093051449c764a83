package model

import (
	"cmp"
	"slices"

	"electop/model/dialect"
	"electop/model/znode"
)

// around takes in a read of a directory beside the election. Those beside the
// leader's own znode show whose election it is.
func (j *Journal) around(o *Directory) {
	i, had := slices.BinarySearchFunc(j.directories, o.Path, func(d *Directory, path string) int { return cmp.Compare(d.Path, path) })
	j.directories = slices.Clone(j.directories)
	if had {
		j.directories[i] = o
	} else {
		j.directories = slices.Insert(j.directories, i, o)
	}
	if d := j.naming.dialect; j.single && (d == nil || d == dialect.SingleZnode()) && !j.naming.preset && o.Path == znode.Dir(j.cfg.Path) {
		var shown []znode.Znode
		for _, c := range j.queue.All() {
			shown = append(shown, c.Znode)
		}
		e := dialect.Evidence{Path: j.cfg.Path, Children: shown, Siblings: j.siblings()}
		if found := dialect.Recognise(e); found != nil && found.Single && j.naming.fixed == nil {
			j.interpret(found)
		}
	}
}

// siblings are the names beside the election's path, nil if they are not known.
func (j *Journal) siblings() []string {
	return namesIn(j.directories, znode.Dir(j.cfg.Path))
}
