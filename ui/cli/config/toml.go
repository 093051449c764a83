package config

import (
	"errors"
	"fmt"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

func decode(text []byte) (tables map[string]any, err error) {
	err = toml.Unmarshal(text, &tables)
	var wrong *toml.DecodeError
	if errors.As(err, &wrong) {
		line, _ := wrong.Position()
		where := strings.Join(wrong.Key(), ".")
		if where == "" {
			where = "not TOML"
		}
		return nil, fmt.Errorf("line %d: %s: %s", line, where, strings.TrimPrefix(err.Error(), "toml: "))
	}
	return tables, err
}

func linesOf(text []byte) map[string]int {
	lines := map[string]int{}
	var p unstable.Parser
	p.Reset(text)
	table := ""
	for p.NextExpression() {
		e := p.Expression()
		if e.Kind == unstable.KeyValue {
			keyLines(&p, table, e, lines)
			continue
		}
		table = key(&p, "", e, lines)
	}
	return lines
}

func keyLines(p *unstable.Parser, table string, e *unstable.Node, lines map[string]int) {
	name := key(p, table, e, lines)
	if v := e.Value(); v.Kind == unstable.InlineTable {
		for each := v.Children(); each.Next(); {
			keyLines(p, name, each.Node(), lines)
		}
	}
}

func key(p *unstable.Parser, table string, e *unstable.Node, lines map[string]int) string {
	name, line := table, 0
	for part := e.Key(); part.Next(); {
		n := part.Node()
		if name != "" {
			if lines[name] == 0 { // a table without a header so far
				lines[name] = line
			}
			name += "."
		}
		name += string(n.Data)
		line = p.Shape(n.Raw).Start.Line
	}
	lines[name] = line
	return name
}
