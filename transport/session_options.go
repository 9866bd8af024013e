package transport

import "time"

// Options are the timers, the limits and the dialects of a [Session]. The zero value of a
// field, and any value below zero, means the default; all limits are on by default.
// [StockOptions] returns the timers of the stock game. The fields say where the default
// differs from them, and why.
type Options struct {
	// Tick is the least time between two rounds of sending, and how long an Ack waits for a
	// datagram to leave with. The first message after a pause leaves at once; later ones are
	// gathered. The default is 50 ms. The stock game has a round for every frame, which gives
	// more datagrams for the same messages.
	Tick time.Duration
	// Burst is how many datagrams may leave in one tick, and so how many messages may be
	// retransmitted. The default is 4. The stock game sends one: a payload of 100 KiB then
	// takes 255 rounds, and a burst of losses a round for each lost message.
	Burst int

	// Repeat is the time after which a message that is not acknowledged is retransmitted.
	// The default is 1 s, as in the stock game. OpenBC takes a retransmission for a new
	// message: it should not be shorter.
	Repeat time.Duration
	// RepeatSteps makes that time grow: by Repeat with each retransmission, up to RepeatSteps
	// times Repeat, and then it starts again. It does not grow for Connect and Disconnect. The
	// default is 1, a fixed time. The stock game has 5: 1, 2, 3, 4, 5, 1, 2 ... s. There a
	// message that was lost four times delays its channel by 10 s instead of 4.
	RepeatSteps int
	// RepeatAcks sends Acks as the stock game does: at once, and again every 666.6 ms until
	// there were nine sends. The first three start a datagram by themselves. The others leave
	// with a datagram that is sent anyway, or when the session has ended. A message that
	// arrives again makes its Ack start again. By default an Ack is sent once for each
	// message that arrives, which suffices: a peer that has lost the Ack sends the message
	// again. There is no repetition for a peer that speaks OpenBC, whose sequence numbers
	// come round after 255, or with SeparateFragmentAcks, or for a client that has not used
	// its peer ID, beyond the datagrams that it gets anyway.
	RepeatAcks bool

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

	// KeepAlive is the time after which a DoNothing is sent if nothing else was. The default
	// is 5 s, as in the stock game. A peer that speaks OpenBC cannot read a DoNothing and gets
	// a copy of the last Ack.
	KeepAlive time.Duration
	// PeerTimeout is the silence of the peer after which the session ends; a client waits
	// as long for its acceptance. The default is 45 s, as in the stock game.
	PeerTimeout time.Duration
	// SendTimeout is how long a message may stay unacknowledged before the session ends. The
	// default is 360 s. The stock game deletes the message after 360 s and keeps the peer.
	// That leaves a hole in the sequence, and the channel of the receiver waits for the
	// message for ever, so no option offers it. Until then a peer that acknowledges nothing
	// costs at most MaxQueueBytes in memory, and Burst datagrams a Tick.
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

	// strict makes a retransmission due strictly later than its interval, as in the stock
	// game. It has no effect that a peer could notice.
	strict bool
}

// StockOptions returns the options with the timers of the stock game:
//
//	retransmission         after 1, 2, 3, 4, 5, 1, 2 ... s, one per round
//	of Connect, Disconnect after 1 s
//	Ack                    at once and every 666.6 ms, nine times; see RepeatAcks
//	keepalive              after 5 s
//	silent peer            ends after 45 s
//
// They are for tools that must look like the game, such as a test of another server. The
// defaults recover from loss faster with fewer datagrams. Sessions with either understand
// each other. The round of the game is its frame; set Tick to the length of one. A message
// that is not acknowledged for 360 s ends the session here, too, see SendTimeout.
//
// Evidence: documented (B): the engine's code of the network update, FUN_006b55b0,
// FUN_006b82a0, FUN_006b8670, FUN_006b8700, and of the Acks, FUN_006bd120, FUN_006b61e0.
func StockOptions() Options {
	return Options{
		Burst:       1,
		Repeat:      time.Second,
		RepeatSteps: 5,
		RepeatAcks:  true,
		KeepAlive:   5 * time.Second,
		PeerTimeout: 45 * time.Second,
		SendTimeout: 360 * time.Second,
		strict:      true,
	}
}

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
	positive(&o.RepeatSteps, 1)
	o.RepeatSteps = int(min(int64(o.RepeatSteps), int64(forever/4/o.Repeat)))
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

// interval returns how long to wait for the Ack of a message that was sent.
func (o *Options) interval(e *entry) time.Duration {
	t := o.Repeat
	if typ := Type(e.wire[0]); typ != TypeConnect && typ != TypeDisconnect {
		t *= time.Duration(1 + (e.sends-1)%o.RepeatSteps)
	}
	if o.strict {
		t += strictly
	}
	return t
}

// forever is later than any time of a clock; sums of a time and a duration of Options do
// not overflow.
const forever = time.Duration(1 << 62)

// clock counts the time that has passed, from the times that the caller tells. It does
// not go back when they do.
type clock struct {
	wall time.Time
	now  time.Duration
}

// jitter is by how much a time may be before the last one without being a jump of the
// clock: the caller may have looked at it earlier.
const jitter = time.Second

func (c *clock) set(now time.Time) {
	passed := now.Sub(c.wall)
	if passed > 0 {
		c.now = min(c.now+min(passed, forever/4), forever/2)
	}
	if passed > 0 || passed < -jitter {
		c.wall = now
	}
}

// at returns a time as the caller counts it, the zero Time for forever.
func (c *clock) at(t time.Duration) time.Time {
	if t == forever {
		return time.Time{}
	}
	return c.wall.Add(t - c.now)
}

// stamp returns the time as a Time, which does not go back either.
func (c *clock) stamp() time.Time { return time.Time{}.Add(c.now) }
