// Package match keeps a recorded or live match so that a program can show any time of it.
package match
