// Package checksum compares the game files of a client and a host, as Bridge Commander does
// before a client joins. It also verifies an installation:
//
//	game, err := checksum.Scan(os.DirFS(dir), checksum.Rounds())
//	for _, f := range checksum.Compare(checksum.Vanilla(), game) {
//		fmt.Println(f) // scripts/App.pyc: differs: 0x11223344, want 0xf8a0a768
//	}
//
// # Rounds
//
// The host sends five requests for the hashes of files, one after the other; see [Rounds]. In the
// first four rounds, a file with other content ends the join. In the last round, a host with
// Server.Files sends its own version of mission scripts that differ. Most policies allow additional
// files, and [AcceptAll] neither ends a join nor sends files; see [Policy].
//
// # Hashes
//
// [StringHash] hashes a name and [FileHash] the content of a file. The hashes find mistakes, not
// cheats: four extra bytes can give a file any hash, and a client can send any response.
//
// # Files
//
// [Scan] returns the hashes of the game on a disk as a [Manifest]. [LoadManifest] and
// [Manifest.Save] read and write JSON. [Compare] compares two manifests, and
// [Manifest.VerifyResponse] a manifest with a response of a client. Each returns the
// differences as values of type [Finding].
//
// # Exchange
//
// [ServerExchange] and [Client] are the two sides of a join. They take messages and return the messages to send. They
// do not wait or write files. A host has one [Server]. A Server with its exchanges, and a Client, are not safe for
// concurrent use.
//
// # Limits
//
//	scan        12,288 files and directories, 256 MiB, depth 16; each round
//	manifest    4 MiB of JSON, names of 255 bytes, responses of transport.MaxPayload bytes
//	host        FileTransfer messages of transport.MaxPayload bytes
//	client      32 requests, 256 received files, 16 MiB of received files
//
// Comparing a response allocates up to 110 times its length, most of it temporarily, plus 400
// bytes for each file in that round of the manifest.
//
// # Evidence
//
// Package opcode defines the grades in its section Evidence. Observed: hashes, requests and
// responses. Tests compare them with captured bytes and 202 vectors. Documented (B):
// rejections and file transfers, from the engine's code. It is unknown whether a response
// of the game contains directories without matching files.
//
// [CORRECTIONS.md] lists the statements of older documents that contradict this package, with proofs.
//
// [CORRECTIONS.md]: https://github.com/bcwire/bcwire/blob/main/opcode/CORRECTIONS.md
package checksum
