package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"electop/model/stricttoml"
)

// advised adds to the error of an unknown key what may be meant.
func advised(err error) error {
	var e *stricttoml.Error
	if !errors.As(err, &e) || !e.Unknown {
		return err
	}
	table, key := "", e.Key
	if i := strings.LastIndexByte(e.Key, '.'); i >= 0 {
		table, key = e.Key[:i], e.Key[i+1:]
	}
	switch advice := advice(table, key); {
	case secret(key):
		return fmt.Errorf("%w: %w", err, errSecret)
	case advice != "":
		return fmt.Errorf("%w: %s", err, advice)
	}
	return err
}

// errSecret is the error of a key that seems to hold a credential.
var errSecret = errors.New("credentials belong in a file that auth-file names")

func secret(key string) bool {
	return slices.ContainsFunc([]string{"password", "secret", "credential", "digest", "user"}, func(word string) bool {
		return strings.Contains(strings.ToLower(key), word)
	}) || strings.EqualFold(key, "auth") || strings.EqualFold(key, "sasl")
}

func advice(table, key string) string {
	cluster, below := strings.CutPrefix(table, "clusters.")
	first, _, _ := strings.Cut(strings.TrimPrefix(table+"."+key, "."), ".")
	tables := []string{"defaults", "clusters"}
	switch {
	case !slices.Contains(tables, first):
		if near := similar(first, tables); near != "" {
			return "did you mean " + near + "?"
		}
		return "there are [defaults] and [clusters.NAME]"
	case table == "defaults" && slices.ContainsFunc(Keys(), func(k Key) bool { return k.Name == key }) || table == "defaults" && key == "paths":
		return "it belongs to a cluster, as in [clusters.NAME]"
	case below && !strings.Contains(cluster, "."), table == "defaults":
		names := []string{"paths"}
		for _, k := range Keys() {
			names = append(names, k.Name)
		}
		if near := similar(key, names); near != "" {
			return "did you mean " + near + "?"
		}
	}
	return ""
}

// similar returns the names that s may be a misspelling of, as cobra finds commands; ""
// for none.
func similar(s string, names []string) string {
	all := cobra.Command{SuggestionsMinimumDistance: 2}
	for _, name := range names {
		all.AddCommand(&cobra.Command{Use: name, Run: func(*cobra.Command, []string) {}})
	}
	return strings.Join(all.SuggestionsFor(s), " or ")
}
