package compress_test

import (
	"fmt"

	"github.com/bcwire/bcwire/compress"
)

func ExampleFloat16_Float32() {
	// The radius and the damage of a captured explosion.
	fmt.Println(compress.Float16(0x571B).Float32(), compress.Float16(0x78E2).Float32())
	// Output: 49.978027 5997.803
}

func ExampleEncodeFloat16() {
	code := compress.EncodeFloat16(50)
	fmt.Printf("%v is %#04x\n", code, uint16(code))
	// Output: 49.978 is 0x571b
}

func ExampleVector4_Float32() {
	impact := compress.Vector4{Dir: compress.Vector3{X: 29, Y: 122, Z: 12}, Mag: 0x6195}
	x, y, z := impact.Float32()
	fmt.Printf("%.1f %.1f %.1f\n", x, y, z)
	fmt.Println(impact.Dir, impact)
	// Output:
	// 43.2 181.6 17.9
	// (0.22835 0.96063 0.094488) (43.16 181.57 17.859)
}

func ExampleEncodeContact() {
	// A point 2 units in front of a ship with a bounding radius of 4.
	fmt.Println(compress.EncodeContact(0, 2, 0, 4))
	// Output: (0 0.49804 0) radii
}
