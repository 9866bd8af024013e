package transport

import "time"

// Options are the timers, the limits and the manners of a [Session]. The zero value of a
// field, and any below it, means the default; all limits are on by default.
type Options struct {
	// Tick is the least time between two rounds of sending, and how long an Ack waits
	// for something to travel with. What is sent after a pause leaves at once; what
	// follows is gathered. 50 ms. The stock game has a tick for every frame.
	Tick time.Duration
	// Burst is how many datagrams may leave in one tick. 4; the stock game sends one.
	Burst int

	// Repeat is the time after which a message that is not acknowledged is sent again.
	// 1 s; OpenBC takes a repetition for a new message, so less is unkind to it.
	Repeat time.Duration
	// Growth says how that time grows from one repetition to the next.
	Growth Growth
	// MaxRepeat limits the growth. 15 s.
	MaxRepeat time.Duration

	// Window is how far the newest message sent may be ahead of the oldest one that is
	// not acknowledged, in each channel; the others wait. 256, which is what a Session
	// with the default limits buffers, and at most 16,383.
	Window int
	// MaxQueue limits the messages that wait or are not acknowledged, in each channel,
	// and the unreliable ones that wait. A fragmented payload counts as one. 1024, and
	// at most 16,383.
	MaxQueue int
	// MaxQueueBytes limits their bytes together, headers included. 256 KiB.
	MaxQueueBytes int

	// MaxBuffered limits the messages that are kept because an earlier one is missing, in
	// each channel. 256, and at most 16,383.
	MaxBuffered int
	// MaxBufferedBytes limits their bytes. 256 KiB.
	MaxBufferedBytes int
	// MaxSets limits the fragmented payloads in the making. 16.
	MaxSets int
	// MaxSetBytes limits the bytes of their pieces. 128 KiB, and at least [MaxPayload]:
	// these are kept free for the payload that is next to be delivered, so that it always
	// arrives.
	MaxSetBytes int
	// MaxSetAge is how long a payload may be in the making. 360 s.
	MaxSetAge time.Duration

	// KeepAlive is the silence after which something is sent for its own sake. 5 s.
	KeepAlive time.Duration
	// PeerTimeout is the silence of the peer after which it is given up; a client waits
	// as long for its acceptance. 45 s.
	PeerTimeout time.Duration
	// SendTimeout is how long a message may stay unacknowledged before the peer is given
	// up. 360 s, as in the stock game, which does not count repetitions. Until then a peer
	// that is heard of but acknowledges nothing costs no more than MaxQueueBytes in memory,
	// and Burst datagrams a Tick.
	SendTimeout time.Duration
	// ProofTimeout is the same for a client that has not shown that it receives; see
	// [Session.Challenge]. 20 s.
	ProofTimeout time.Duration
	// HandshakeTimeout is how long a host waits for a client to use its peer ID. 30 s.
	HandshakeTimeout time.Duration
	// CloseTimeout is how long a farewell is repeated if it is not acknowledged. 5 s.
	CloseTimeout time.Duration
	// Linger is how long a session that has ended acknowledges repetitions. 15 s.
	Linger time.Duration

	// Mode says which dialects are understood. All of them.
	Mode Mode
	// SeparateFragmentAcks sends the Ack of each fragment in a datagram of its own, for
	// OpenBC, which takes every Ack for four bytes long and loses what follows.
	SeparateFragmentAcks bool
	// DoNothing keeps the session alive by a DoNothing of one byte, whose form no
	// capture confirms, instead of a copy of the last Ack.
	DoNothing bool
}

// Growth is how the time between two repetitions of a message grows. Which of them the
// stock game uses is not settled; what has been seen of it does not grow.
type Growth uint8

const (
	FixedInterval    Growth = iota // 1, 1, 1, 1
	LinearInterval                 // 1, 2, 3, 4
	DoublingInterval               // 1, 2, 4, 8
)

const (
	defaultMaxSets     = 16
	defaultMaxSetBytes = 128 << 10
	defaultMaxSetAge   = 360 * time.Second

	// maxAhead is how far a sequence number may be ahead of the expected one.
	maxAhead = 0x3FFF
)

// complete returns the options with the defaults filled in.
func (o Options) complete() *Options {
	duration(&o.Tick, 50*time.Millisecond)
	positive(&o.Burst, 4)
	duration(&o.Repeat, time.Second)
	duration(&o.MaxRepeat, 15*time.Second)
	positive(&o.Window, 256)
	positive(&o.MaxQueue, 1024)
	positive(&o.MaxQueueBytes, 256<<10)
	positive(&o.MaxBuffered, 256)
	positive(&o.MaxBufferedBytes, 256<<10)
	positive(&o.MaxSets, defaultMaxSets)
	positive(&o.MaxSetBytes, defaultMaxSetBytes)
	duration(&o.MaxSetAge, defaultMaxSetAge)
	duration(&o.KeepAlive, 5*time.Second)
	duration(&o.PeerTimeout, 45*time.Second)
	duration(&o.SendTimeout, 360*time.Second)
	duration(&o.ProofTimeout, 20*time.Second)
	duration(&o.HandshakeTimeout, 30*time.Second)
	duration(&o.CloseTimeout, 5*time.Second)
	duration(&o.Linger, 15*time.Second)
	o.MaxSetBytes = max(o.MaxSetBytes, MaxPayload)
	o.MaxRepeat = max(o.MaxRepeat, o.Repeat)
	o.Window = min(o.Window, maxAhead)
	o.MaxQueue = min(o.MaxQueue, maxAhead)
	o.MaxBuffered = min(o.MaxBuffered, maxAhead)
	return &o
}

func positive(v *int, standard int) {
	if *v <= 0 {
		*v = standard
	}
}

func duration(v *time.Duration, standard time.Duration) {
	if *v <= 0 {
		*v = standard
	}
	*v = min(*v, forever/4)
}

// interval returns how long to wait after a message was sent the nth time.
func (o *Options) interval(n int) time.Duration {
	t := o.Repeat
	for i := 1; i < n && t < o.MaxRepeat; i++ {
		switch o.Growth {
		case LinearInterval:
			t += o.Repeat
		case DoublingInterval:
			t += t
		default:
			return t
		}
	}
	return min(t, o.MaxRepeat)
}
