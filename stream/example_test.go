package stream_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
)

func ExampleError() {
	payload, _ := hex.DecodeString("d4ffffff3f610000184102035366")
	var m Jump
	err := opcode.Unmarshal(payload, &m)
	fmt.Println(err)

	var located *stream.Error
	if errors.As(err, &located) {
		fmt.Println(located.Field(), located.Offset)
	}
	fmt.Println(errors.Is(err, io.ErrUnexpectedEOF))
	fmt.Println(m.Factor) // the fields before the error are decoded
	// Output:
	// stream_test: decode Jump.Path[0].Set at offset 11: unexpected EOF
	// Path[0].Set 11
	// true
	// 9.5
}

func ExampleNewText() {
	name, err := stream.NewText("Gül’dukat")
	fmt.Printf("%x %v\n", []byte(name), err)
	fmt.Println(name)

	_, err = stream.NewText("Kāhless")
	fmt.Println(err)
	// Output:
	// 47fc6c9264756b6174 <nil>
	// Gül’dukat
	// stream: character cannot be encoded: "ā" at offset 1 is not in Windows-1252
}

func ExampleLossy() {
	fmt.Printf("%q\n", []byte(stream.Lossy("Grüße, 日本")))
	// Output: "Gr\xfc\xdfe, ??"
}
