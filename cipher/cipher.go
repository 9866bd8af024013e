package cipher

//go:generate go run gen.go

// Powers of the generator's multiplier modulo 2^16. mul12 and mul34 hold two powers each,
// for rounds that are multiplied together. A factor is below 2^16, so the products do not
// overlap.
const (
	mul1  = 0x4E35
	mul2  = 0x56F9
	mul3  = 0xDF8D
	mul4  = 0x3E31
	mul5  = 0xCE25
	mul12 = (mul2<<32 | mul1) << 2
	mul34 = (mul4<<32 | mul3) << 2
)

// Encrypt enciphers a datagram in place, except for byte 0.
func Encrypt(datagram []byte) {
	if len(datagram) == 0 {
		return
	}
	var u, x uint64
	d := datagram[1:]
	for i, plain := range d {
		d[i] = byte(combine(uint64(plain)<<2, u, x) >> 2)
		u = next(u, x)
		x ^= uint64(plain) << 2
	}
}

// Decrypt deciphers a datagram in place. It is the inverse of [Encrypt] and cannot fail.
func Decrypt(datagram []byte) {
	l := open(datagram)
	l.decrypt()
}

// DecryptBatch deciphers several datagrams in place. The datagrams must not share memory. It
// is faster than [Decrypt] for each, because it works on four datagrams at the same time.
func DecryptBatch(datagrams [][]byte) {
	var lanes [4]lane
	for {
		n := int(^uint(0) >> 1)
		for i := range lanes {
			l := &lanes[i]
			for len(l.rest) == 0 && len(datagrams) > 0 {
				*l = open(datagrams[0])
				datagrams = datagrams[1:]
			}
			n = min(n, len(l.rest))
		}
		if n == 0 {
			break
		}
		decrypt4(&lanes, n)
	}
	for i := range lanes {
		lanes[i].decrypt()
	}
}

// combine returns v combined with the mask for the state (u, x). The argument v is a byte
// of the datagram times four. The result is also times four, with unused bits above the
// byte.
//
// The state of AlbyRules is a key of ten bytes, a sum and a carry. The key is "AlbyRules!"
// with the XOR of all earlier plaintext folded into each byte. The variable x is this XOR,
// times four to index rounds; only its bits 2 to 9 count. The variable u is sum*mul1 +
// carry before the byte. The sum after round k is u*mul1^k plus a number that depends only
// on x, and the same holds for the u of the next byte. The mask is folded from the five
// sums and from what the key schedule adds to them.
func combine(v, u, x uint64) uint64 {
	x &= 0x3FC
	sums := (u*mul12 + rounds[x]) ^ (u*mul34 + rounds[x+1])
	sums = sums ^ ((u<<2 + rounds[x+2]) ^ rounds[x+3]) ^ sums>>32
	return v ^ sums ^ sums>>8
}

// next returns u for the next byte.
func next(u, x uint64) uint64 {
	return (u*mul5 + rounds[x&0x3FC+3]>>34) & 0xFFFF
}

// lane is the state of a datagram that is being deciphered, and its remaining bytes.
type lane struct {
	rest []byte
	u, x uint64
}

func open(datagram []byte) lane {
	if len(datagram) == 0 {
		return lane{}
	}
	return lane{rest: datagram[1:]}
}

// decrypt deciphers all that remains.
func (l *lane) decrypt() {
	d, u, x := l.rest, l.u, l.x
	for i := range d {
		y := combine(uint64(d[i])<<2^x, u, x)
		d[i] = byte((x ^ y) >> 2)
		u, x = next(u, x), y
	}
}

// decrypt4 is lane.decrypt for the next bytes of four lanes, one byte of each in turn.
func decrypt4(l *[4]lane, n int) {
	d0, u0, x0 := l[0].rest[:n], l[0].u, l[0].x
	d1, u1, x1 := l[1].rest[:n], l[1].u, l[1].x
	d2, u2, x2 := l[2].rest[:n], l[2].u, l[2].x
	d3, u3, x3 := l[3].rest[:n], l[3].u, l[3].x
	for i := range n {
		y0 := combine(uint64(d0[i])<<2^x0, u0, x0)
		d0[i] = byte((x0 ^ y0) >> 2)
		u0, x0 = next(u0, x0), y0

		y1 := combine(uint64(d1[i])<<2^x1, u1, x1)
		d1[i] = byte((x1 ^ y1) >> 2)
		u1, x1 = next(u1, x1), y1

		y2 := combine(uint64(d2[i])<<2^x2, u2, x2)
		d2[i] = byte((x2 ^ y2) >> 2)
		u2, x2 = next(u2, x2), y2

		y3 := combine(uint64(d3[i])<<2^x3, u3, x3)
		d3[i] = byte((x3 ^ y3) >> 2)
		u3, x3 = next(u3, x3), y3
	}
	l[0] = lane{l[0].rest[n:], u0, x0}
	l[1] = lane{l[1].rest[n:], u1, x1}
	l[2] = lane{l[2].rest[n:], u2, x2}
	l[3] = lane{l[3].rest[n:], u3, x3}
}
