// Package recording reads and writes recorded datagrams as lines of JSON. A server or a proxy
// writes a recording while it runs; decoders read it later.
//
//	for d, err := range recording.Read(file) {
//		if err != nil {
//			log.Print(err)
//			continue
//		}
//		fmt.Println(d.Time(), d.Direction, d.Client, len(d.Data))
//	}
//
// Package match follows the matches in a recording. The datagrams are enciphered: see package cipher,
// transport.Observer and package opcode to decode them.
//
// # Lines
//
// A recording is UTF-8 text with one JSON object per line, such as
//
//	{"t":0.5,"dir":"c2s","client":1,"hex":"ffd7336138b3..."}
//
// Only the key hex is required. The bytes are enciphered, unless they are GameSpy text.
//
//	t       seconds since the beginning of the recording; 0 if it is missing
//	dir     "c2s" from the client to the server, or "s2c"; "" or missing if it is unknown
//	client  number of the client, an integer; -1 or missing if it is unknown
//	hex     bytes of the datagram; "" for an empty datagram
//	note    text for people; any other value is ignored
//
// Other keys are comments. Keys and values follow package encoding/json: the case of a key does not
// matter, null means a missing value, and the last of several equal keys counts. Read skips blank
// lines and lines that begin with #. It ignores a byte order mark at the beginning and carriage
// returns at the end of lines.
//
// Before the first JSON line, [Read] also accepts hex text. A JSON line begins with {. A line of
// hex text holds one datagram, after an optional c2s or s2c and before an optional # comment. In
// hex text and in JSON, spaces and tabs may separate bytes, and 0x may precede a byte.
//
// # Reading and writing
//
// Read yields each datagram when its line has been read, without waiting for the next line. The
// next iteration overwrites [Datagram.Data]: clone it to retain it. [Append] appends the
// line of a datagram. Write lines as a whole, so that only the last one can be incomplete.
//
// # Errors
//
// After a malformed line, Read continues with the next line. Append refuses a datagram that Read
// could not read.
//
// # Times and clients
//
// Read does not check the order of lines. Times can be negative, go backwards, and exceed the range
// of [time.Duration]. In a file of several matches the times may start again, and one client number
// may mean several clients. A Connect (package transport) begins a new session.
//
// # Limits
//
// A line has at most 512 KiB, enough for the largest datagram of UDP. Read skips a
// longer line with an error, even a comment. Read takes less than 1 MiB of memory. A line that is
// not in the form of Append takes a multiple of its length in addition.
//
// # Speed
//
// Reading lines of Append, and writing them, is several times as fast as encoding/json; benchmarks.md has the
// ratios. A datagram without a note needs no allocation.
//
// # Security
//
// A recording holds untrusted bytes. The cipher is not secret, so a reader of the file can read
// chat, names, passwords and the addresses in Connect messages. Errors quote at most 40 characters of
// a line, and escape characters that control a terminal.
package recording
