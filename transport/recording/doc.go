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
// # Lines
//
// A recording is UTF-8 text with one JSON object per line, such as
//
//	{"t":0.5,"dir":"c2s","client":1,"hex":"ff01030f..."}
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
// matter, null means a missing value, and the last of several equal keys counts. Blank lines, lines
// that begin with #, a byte order mark and carriage returns at the end of lines are skipped.
//
// [Read] also reads hex text before the first JSON line, which begins with {. A line of hex text
// holds one datagram, after an optional c2s or s2c and before an optional # comment. In hex text
// and in JSON, spaces and tabs may separate bytes, and 0x may precede a byte.
//
// # Reading and writing
//
// Read yields each datagram when its line has been read, without waiting for the next line. The
// next iteration overwrites [Datagram.Data]: clone it to retain it.
//
// A [Writer] is buffered. [Writer.Write] writes a [Datagram] unchanged. [Writer.WriteAddrPort] is
// for servers: it numbers the clients by their addresses. Call [Writer.Flush] at the end, and
// regularly if another program follows the recording.
//
// # Errors
//
// Read yields errors of type [*Error], which has the number of the line. After a malformed line it
// continues with the next line. An error of the reader ends the iteration.
//
//	ErrSyntax            the line is not a JSON object
//	io.ErrUnexpectedEOF  the line is cut: it ends within its JSON object
//	ErrValue             t, dir or client has a value of the wrong type or range
//	ErrHex               hex is missing, or is not pairs of hex digits
//	ErrTooLong           the line is longer than MaxLine
//
// A Writer refuses a datagram that Read could not read. After an error of the underlying writer,
// such as a full disk, it writes nothing more. The last line may then be cut, but no line follows a
// gap.
//
// # Times and clients
//
// Read does not compare lines. Times can be negative and go backwards. In files of other programs
// they can exceed the range of [time.Duration]; [Datagram.Time] then returns the nearest duration.
// In a file of several matches the times may start again, and a number may stand for several
// clients. A Connect message begins a new session.
//
// # Limits
//
// A line has at most 512 KiB ([MaxLine]), enough for the largest datagram of UDP. Read skips a
// longer line with an error, even a comment. Read takes less than 1 MiB of memory, plus a multiple
// of the line if encoding/json decodes it. A Writer remembers the numbers of at most 4096
// addresses. A client that is silent while 2048 others appear may get a new number. No number is
// given to two addresses.
//
// # Speed
//
// Reading the lines of a Writer aims at 5 times the speed of encoding/json, and writing at twice
// its speed. The benchmark fails below three quarters of that. A datagram without a note allocates
// nothing in either direction.
//
// # Security
//
// A recording holds untrusted bytes. The cipher is not secret, so a reader of the file can read
// chat, names, passwords and the addresses in Connect messages. Errors quote at most 40 bytes of a
// line, and escape characters that control a terminal.
package recording
