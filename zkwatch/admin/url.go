package admin

import (
	"fmt"
	"net/url"
	"strings"

	"electop/model/znode"
)

// DefaultURL is where servers have their AdminServer by default.
const DefaultURL = "http://{host}:8080" + commandsPath

// commandsPath is where an AdminServer has its commands by default, and what a URL
// without a path means.
const commandsPath = "/commands"

// CheckURL reports what is wrong with a Config.URL.
func CheckURL(template string) error {
	_, err := expand(template, "localhost")
	return err
}

// expand returns the address of the AdminServer's commands on a host.
func expand(template, host string) (string, error) {
	if strings.Contains(host, ":") {
		host = "[" + strings.ReplaceAll(host, "%", "%25") + "]" // of a zone
	}
	u, err := url.Parse(strings.ReplaceAll(template, "{host}", host))
	switch {
	case err != nil:
		// The error would repeat the text, which may hold a password.
		return "", fmt.Errorf("the URL of the AdminServers is not valid (want something like %s)", DefaultURL)
	case u.Scheme != "http" && u.Scheme != "https":
		return "", fmt.Errorf("the URL of the AdminServers starts with %q (want http:// or https://)", znode.Safe(u.Scheme, 20))
	case u.Host == "":
		return "", fmt.Errorf("the URL of the AdminServers has no host (want something like %s)", DefaultURL)
	case u.RawQuery != "" || u.Fragment != "":
		return "", fmt.Errorf("the URL of the AdminServers has a query or a fragment (want something like %s)", DefaultURL)
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = commandsPath
	}
	return strings.TrimSuffix(u.String(), "/"), nil
}
