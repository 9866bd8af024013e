// Package recording has the JSON lines in which programs keep datagrams.
//
//	{"t":0.5,"dir":"c2s","client":1,"hex":"ff01030f..."}
//
// Dump reads them, the proxy and the server write them. The hex digits are the bytes as
// they are on the wire, enciphered.
package recording
