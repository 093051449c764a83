// Package servers is what the members of the ensemble told: what they are, what
// they hold, and what they did not tell, with the setting that would allow it.
package servers
