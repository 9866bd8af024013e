package cipher_test

// oracle is a direct implementation of the description, without tables. Tests and
// benchmarks compare Encrypt and Decrypt with it.
type oracle struct {
	key        [10]byte
	sum, carry uint16
}

func newOracle() *oracle {
	return &oracle{key: [10]byte([]byte("AlbyRules!"))}
}

func (o *oracle) mask() byte {
	var acc, prev uint16
	for r := range uint16(5) {
		w := uint16(o.key[2*r])<<8 + uint16(o.key[2*r+1])
		if r > 0 {
			w ^= prev
		}
		c := w * 0x015A
		o.sum = o.carry + (o.sum+r)*0x4E35 + c
		o.carry = c
		prev = w*0x4E35 + 1
		acc ^= o.sum ^ prev
	}
	return byte(acc) ^ byte(acc>>8)
}

func (o *oracle) feed(plain byte) {
	for j := range o.key {
		o.key[j] ^= plain
	}
}

func oracleEncrypt(datagram []byte) {
	if len(datagram) < 2 {
		return
	}
	o := newOracle()
	for i, plain := range datagram[1:] {
		datagram[1+i] = plain ^ o.mask()
		o.feed(plain)
	}
}

func oracleDecrypt(datagram []byte) {
	if len(datagram) < 2 {
		return
	}
	o := newOracle()
	for i, in := range datagram[1:] {
		plain := in ^ o.mask()
		datagram[1+i] = plain
		o.feed(plain)
	}
}
