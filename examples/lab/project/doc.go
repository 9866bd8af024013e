// Package project tests both modules as a whole: what they import, what users get of them, and that
// a message can be added as CONTRIBUTING.md says.
package project

const (
	root   = "../../.."
	module = "github.com/bcwire/bcwire"
)
