package help

import "testing"

func TestRender(t *testing.T) {
	for _, c := range []struct{ name, markdown, want string }{
		{"heading", "# The `end`\n\ntext", "THE END\n\ntext\n"},
		{"paragraph", "one\ntwo `--three`\n\nfour\n", "one two --three\n\nfour\n"},
		{"long words stay whole", "It says that the value of this flag is in a file of the program: --admin-listen-for-long", "It says that the value of this flag is in a file of the program:\n--admin-listen-for-long\n"},
		{"list", "- one\n  more\n- two\n\nend", "- one more\n- two\n\nend\n"},
		{"code", "is:\n\n    a  `b`\n     c\n\nend", "is:\n\n    a  `b`\n     c\n\nend\n"},
		{"table", "| key | does |\n|---|---|\n| `j` `down` | down |\n| x | cut |\n", "key     does\nj down  down\nx       cut\n"},
		{"wide cell", "| k | d |\n|---|---|\n| a cell that is much wider than a column | two |\n| b | c |", "k  d\na cell that is much wider than a column\n   two\nb  c\n"},
	} {
		if got := render(c.markdown); got != c.want {
			t.Errorf("%s:\n%q, want\n%q", c.name, got, c.want)
		}
	}
}
