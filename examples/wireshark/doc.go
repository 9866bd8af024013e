// Package wireshark holds a dissector for Wireshark and TShark, bcwire.lua. It is generated from
// the source of the library. See README.md.
package wireshark

//go:generate go run ./generate
