package transport

import "time"

// Options are the options of a [Session]. A zero or negative field has its default.
type Options struct {
	// Tick is the interval of sending, and the longest wait of an Ack. The default is 50 ms.
	Tick time.Duration
	// Burst is the maximum number of datagrams in a tick. The default is 4. The stock game has 1.
	Burst int

	// Retransmit is the time after which an unacknowledged message is retransmitted. The default is
	// 1 s. Do not set it lower, because OpenBC processes each retransmission as a new message.
	Retransmit time.Duration
	// RetransmitSteps is the number of growing waits: 1, 2, ... RetransmitSteps times Retransmit,
	// then again from 1. The default is 1; the stock game has 5. Connect and Disconnect have 1
	// step. The waits for unproven clients are always 1, 2, 3, 3, ... times Retransmit.
	RetransmitSteps int

	// Window limits the sequence numbers from the oldest unacknowledged message to the newest in
	// flight, in each channel. The default is 256, the maximum 16,383. It is 64 to OpenBC, and
	// 120 for numbers above 255 to a peer that has acknowledged none of them.
	Window int
	// MaxQueue limits the unsent and unacknowledged messages in each channel, and the unsent
	// unreliable ones. A fragmented payload counts as one. The default is 1024, the maximum 16,383.
	MaxQueue int
	// MaxQueueBytes limits the bytes of all these messages. The default is 256 KiB.
	MaxQueueBytes int

	// MaxBuffered limits out-of-order messages per channel. The default is 256, the maximum 16,383.
	MaxBuffered int
	// MaxBufferedBytes limits the bytes of these messages. The default is 256 KiB.
	MaxBufferedBytes int
	// MaxPartialPayloads limits the payloads that lack fragments. The default is 16.
	MaxPartialPayloads int
	// MaxPartialBytes limits their bytes. The default is 128 KiB, and the minimum is [MaxPayload].
	MaxPartialBytes int
	// MaxPartialAge limits the time for which a payload may lack fragments. The default is 360 s.
	MaxPartialAge time.Duration

	// KeepAlive is the time without sending after which a keepalive is sent. The default is 5 s.
	KeepAlive time.Duration
	// PeerTimeout limits the silence of the peer, and a client's handshake. The default is 45 s.
	PeerTimeout time.Duration
	// SendTimeout limits the time that a message stays unacknowledged. The default is 360 s. For an
	// unproven client, the limit is at most 20 s. The stock game deletes the message instead, and
	// the peer waits for it for ever.
	SendTimeout time.Duration
	// HandshakeTimeout is the time that a client has to use its peer ID. The default is 30 s.
	HandshakeTimeout time.Duration
	// CloseTimeout limits the retransmission of the closing message. The default is 5 s.
	CloseTimeout time.Duration
	// Linger is the time for which an ended session acknowledges messages. The default is 15 s.
	Linger time.Duration

	// stock sends Acks as the stock game does: at once, and again every 666.6 ms until the ninth
	// send. The first three start a datagram; the others join one. If a message arrives again,
	// its Ack starts again. Acks are sent once to OpenBC. To a client that has not used its peer ID,
	// Acks only join the reply. A retransmission must exceed its interval.
	stock bool
}

// StockOptions returns options with the timers of the stock game:
//
//	retransmission         after 1, 2, 3, 4, 5, 1, 2 ... s, one per tick;
//	                       of Connect and Disconnect after 1 s
//	Ack                    at once and twice more, every 666.6 ms; then up to six times in
//	                       datagrams that are sent anyway
//	keepalive              after 5 s
//	silent peer            ends after 45 s
//
// Use them in tools that must behave like the game, such as tests of a server, and set Tick to
// the length of a frame. The defaults recover from loss faster, with fewer datagrams.
//
// Evidence: documented (B): the engine's code of the network update, FUN_006b55b0, FUN_006b82a0,
// FUN_006b8670, FUN_006b8700, and of the Acks, FUN_006bd120, FUN_006b61e0.
func StockOptions() Options {
	return Options{
		Burst:           1,
		Retransmit:      time.Second,
		RetransmitSteps: 5,
		KeepAlive:       5 * time.Second,
		PeerTimeout:     45 * time.Second,
		SendTimeout:     360 * time.Second,
		stock:           true,
	}
}

// maxAhead is the largest distance of a sequence number from the expected number.
const maxAhead = 0x3FFF

// complete returns the options with their defaults.
func (o Options) complete() *Options {
	o.Tick = durationOr(o.Tick, 50*time.Millisecond)
	o.Burst = orDefault(o.Burst, 4)
	o.Retransmit = durationOr(o.Retransmit, time.Second)
	o.RetransmitSteps = int(min(int64(orDefault(o.RetransmitSteps, 1)), int64(forever/4/o.Retransmit)))
	o.Window = min(orDefault(o.Window, 256), maxAhead)
	o.MaxQueue = min(orDefault(o.MaxQueue, 1024), maxAhead)
	o.MaxQueueBytes = orDefault(o.MaxQueueBytes, 256<<10)
	o.MaxBuffered = min(orDefault(o.MaxBuffered, 256), maxAhead)
	o.MaxBufferedBytes = orDefault(o.MaxBufferedBytes, 256<<10)
	o.MaxPartialPayloads = orDefault(o.MaxPartialPayloads, defaultPartialPayloads)
	o.MaxPartialBytes = max(orDefault(o.MaxPartialBytes, defaultPartialBytes), MaxPayload)
	o.MaxPartialAge = durationOr(o.MaxPartialAge, defaultPartialAge)
	o.KeepAlive = durationOr(o.KeepAlive, 5*time.Second)
	o.PeerTimeout = durationOr(o.PeerTimeout, 45*time.Second)
	o.SendTimeout = durationOr(o.SendTimeout, 360*time.Second)
	o.HandshakeTimeout = durationOr(o.HandshakeTimeout, 30*time.Second)
	o.CloseTimeout = durationOr(o.CloseTimeout, 5*time.Second)
	o.Linger = durationOr(o.Linger, 15*time.Second)
	return &o
}

// interval returns the time to wait for the Ack of a message that was sent.
func (o *Options) interval(m *storedMessage) time.Duration {
	t := o.Retransmit
	if typ := Type(m.wire[0]); typ != TypeConnect && typ != TypeDisconnect {
		t *= time.Duration(1 + (m.sends-1)%o.RetransmitSteps)
	}
	if o.stock {
		t += strictly
	}
	return t
}
