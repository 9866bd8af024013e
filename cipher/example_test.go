package cipher_test

import (
	"fmt"

	"github.com/bcwire/bcwire/cipher"
)

func ExampleDecrypt() {
	// A host assigns peer ID 2 to a client.
	datagram := []byte{0x01, 0xD7, 0x33, 0x68, 0xC3, 0xBF, 0x76, 0xDB}
	cipher.Decrypt(datagram)
	fmt.Printf("% X\n", datagram)
	// Output: 01 01 03 06 C0 00 00 02
}

func ExampleEncrypt() {
	// A client reports that it has loaded the mission.
	datagram := []byte{0x02, 0x01, 0x32, 0x07, 0x80, 0x05, 0x00, 0x2A, 0x20}
	cipher.Encrypt(datagram)
	fmt.Printf("% X\n", datagram)
	// Output: 02 D7 02 D4 22 78 8A B6 03
}
