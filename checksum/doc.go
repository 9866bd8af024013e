// Package checksum compares the files of a client with those of a host, as Bridge
// Commander does before it lets anybody into a game.
//
// # Rounds
//
// The host asks five times, one request after the other, for the hashes of files in a
// directory; [Rounds] has them as data. In the first four a file that differs ends the
// join. In the last one, which is about the scripts of the missions, it is sent.
//
// # Hashes
//
// [StringHash] is the hash of a name, [FileHash] that of a file's content. They find
// mistakes, not malice: four bytes are enough to give a file any hash, and a client can
// answer what it likes. A host learns what an honest client has, and nothing else.
//
// # Files
//
// An [Installation] is the game on a disk. [Installation.Scan] is what the game does for
// a request, and [Installation.Manifest] makes a [Manifest] of it, which [LoadManifest]
// and [Manifest.Save] keep in JSON. [Manifest.Verify] compares it with another
// installation, [Compare] with another manifest, [Manifest.VerifyResponse] with the response
// of a client. Each returns a [Finding] for every difference; a [Policy] says which of
// them keep a client out.
//
// # Exchange
//
// [ServerExchange] and [ClientExchange] are the two sides of a join. They take messages
// of package opcode and return the messages to send. They do not wait, and read no clock:
// [ServerExchange.Timeout] returns how long to wait for the next message, and
// [ServerExchange.Expire] ends an exchange whose client stays silent, as the game does if it
// has no files of a round. They read files, of the FS that they were given, and write none.
//
// A host has one [Server], and a ServerExchange for each client that joins. A client that
// differs learns why, and its State is StateRejected; [ServerExchange.Findings] has the rest.
//
// # Concurrency
//
// A Server and all of its exchanges are for one goroutine at a time, and so is a
// ClientExchange. Everything else may be shared as long as nobody changes it.
//
// # Errors
//
// What a peer sends out of turn is an [*ExchangeError] with ErrRepeated, ErrOutOfOrder,
// ErrForged or ErrUnexpected, and changes nothing. What cannot be read is a [*ScanError]
// with its path; those of a scan come joined, beside the result for what could be read.
// A manifest that makes no sense gives [ErrManifest], with the place.
//
// # Limits
//
//	a scan        12,288 files and directories, 256 MiB, 16 deep
//	a manifest    4 MiB of JSON, names of 255 bytes, what fits into a response
//	a host        256 findings kept of a client, files that fit into one message
//	a client      32 requests answered; 256 files taken, and 16 MiB
//
// The fields of Installation and Client set others. To compare a response allocates up
// to 70 times its length; what remains is the findings and, with [LearnFirst], the tree
// until the exchange is over.
//
// # Evidence
//
// Hashes, requests and responses are observed: the tests hold the package to captured
// bytes, and the hashes to 202 vectors. Rejections and file transfers are documented (B) by
// the engine's code, which the policy [Stock] follows; nobody has captured one. It is not
// known whether the game lists directories without matching files. A scan leaves them out,
// and a comparison ignores them.
//
// # Speed
//
// FileHash takes at most 1.5 times as long as a plain loop over words, and StringHash as
// a plain loop over bytes, or the benchmark fails:
//
//	go test -run '^$' -bench Bar -benchtime 1x ./checksum
package checksum
