// Package recording reads and writes recorded datagrams as lines of JSON.
//
//	{"t":0.5,"dir":"c2s","client":1,"hex":"ff01030f..."}
//
// A server or a proxy writes a recording while it runs. Decoders of captures read it later.
// The bytes are those of the wire, so they are enciphered unless they are GameSpy text.
//
// # Lines
//
// A recording is a text in UTF-8 with one JSON object per line. Only the key hex is required.
//
//	t       seconds since the beginning of the recording; 0 if it is missing
//	dir     "c2s" from the client to the server, or "s2c"; "" or missing if it is unknown
//	client  number of the client, an integer; -1 or missing if it is unknown
//	hex     bytes of the datagram; "" for an empty datagram
//	note    text for people; any other value is ignored
//
// Other keys are comments. Keys and values follow package encoding/json: the case of a key
// does not matter, null stands for a missing value, and the last of several equal keys counts.
// Blank lines and lines that begin with # are skipped, as is a byte order mark. A line may end
// with a carriage return.
//
// [Read] also reads hex text: one datagram per line, after an optional c2s or s2c, and before an
// optional comment that begins with #. A line that begins with { is JSON. The lines before
// the first JSON line are hex text; after it, every line must be JSON. In JSON and in hex text,
// spaces and tabs may stand between bytes, and 0x before a byte.
//
// # Reading
//
// Range over Read. It yields each datagram as soon as its line has been read, and does not wait
// for the next line. The next iteration overwrites [Datagram.Data], so clone what you keep.
//
//	for d, err := range recording.Read(file) {
//		if err != nil {
//			log.Print(err)
//			continue
//		}
//		fmt.Println(d.Time(), d.Direction, d.Client, len(d.Data))
//	}
//
// # Writing
//
// A [Writer] is buffered. [Writer.Write] writes a [Datagram] as it is.
// [Writer.WriteAddrPort] is for servers: it numbers the clients by their addresses. Call
// [Writer.Flush] at the end, and from time to time if another program follows the recording.
//
// # Errors
//
// Read yields errors of type [*Error], which has the number of the line. After a malformed
// line it continues with the next line. An error of the reader ends it.
//
//	ErrSyntax            the line is not a JSON object
//	io.ErrUnexpectedEOF  the line is cut: it ends within its JSON object
//	ErrValue             t, dir or client has a value of the wrong type or range
//	ErrHex               hex is missing, or is not pairs of hex digits
//	ErrTooLong           the line is longer than MaxLine
//
// A Writer refuses a datagram that Read could not read, and writes nothing of it. After an error
// of the underlying writer, such as a full disk, a Writer writes nothing more. The last line of
// the file may then be cut, but no line follows a gap.
//
// # Times and clients
//
// Read does not compare lines. Times can be negative, and they can go backwards. They can be
// beyond the range of [time.Duration] in files of other programs; [Datagram.Time] returns the
// nearest duration. A file can hold several matches, for example if recordings were joined. The
// times may then start again, and the same number may stand for another client. A new session
// begins with a Connect message.
//
// # Limits
//
// A line has at most 512 KiB ([MaxLine]). This is enough for the largest datagram of UDP in any
// notation. Read skips a longer line with an error, even if the line is a comment. The memory of
// Read stays below 1 MiB, plus a multiple of the line if encoding/json decodes it. A Writer
// remembers the numbers of at most 4096 addresses. A client that is silent while 2048 others
// appear may get a new number. No number is given to two addresses.
//
// # Speed
//
// Read decodes lines in the form that a Writer writes without encoding/json. This should be at
// least 5 times as fast, and writing at least twice as fast. A datagram without a note allocates
// nothing in either direction. The benchmark fails below three quarters of these speeds:
//
//	go test -run '^$' -bench Bar -benchtime 1x ./transport/recording
//
// # Security
//
// A recording holds the bytes of strangers. The cipher is no secret, so everybody who has the
// file can read chat, names, passwords and the addresses in Connect messages. Errors quote at
// most 40 bytes of a line, and escape characters that a terminal acts on.
package recording
