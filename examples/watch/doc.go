// Watch shows a match in the browser: ships, shots, chat and every message.
//
//	go run -C examples ./watch [flags] [FILE]
package main
