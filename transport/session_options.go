package transport

import "time"

// Options are the options of a [Session]. A zero or negative field has its default.
type Options struct {
	// Tick is the interval of sending, and the longest wait of an Ack. The default is 50 ms.
	Tick time.Duration
	// MaxQueue limits the unsent and unacknowledged messages in each channel, and the unsent
	// unreliable ones. A fragmented payload counts as one. The default is 1024, the maximum 16,383.
	MaxQueue int

	// KeepAlive is the time without sending after which a keepalive is sent. The default is 5 s.
	KeepAlive time.Duration
	// PeerTimeout limits the silence of the peer, and a client's handshake. The default is 45 s.
	PeerTimeout time.Duration
	// SendTimeout limits the time that a message stays unacknowledged. The default is 360 s. The stock game deletes
	// the message instead, and the peer waits for it for ever.
	SendTimeout time.Duration
	// HandshakeTimeout is the time that a client has until its address is validated. The default is 30 s.
	HandshakeTimeout time.Duration
	// CloseTimeout limits the retransmission of the closing message. The default is 5 s.
	CloseTimeout time.Duration

	// burst is the maximum number of datagrams in a tick: 4, or 1 as in the stock game.
	burst int
	// retransmit is the time after which an unacknowledged message is retransmitted: 1 s. It must
	// not be lower, because OpenBC processes each retransmission as a new message.
	retransmit time.Duration
	// retransmitSteps is the number of growing waits: 1, 2, ... retransmitSteps times retransmit,
	// then again from 1. It is 1, or 5 as in the stock game. Connect and Disconnect have 1 step.
	retransmitSteps int
	// window limits the sequence numbers from the oldest unacknowledged message to the newest in
	// flight, in each channel. It is 256, at most 16,383. It is 64 to OpenBC, and 120 for numbers
	// above 255 to a peer that has acknowledged none of them.
	window int
	// maxQueueBytes limits the bytes of the messages of MaxQueue: 256 KiB.
	maxQueueBytes int

	maxBuffered        int           // out-of-order messages per channel: 256, at most 16,383
	maxBufferedBytes   int           // bytes of these messages: 256 KiB
	maxPartialPayloads int           // payloads that lack fragments: 16
	maxPartialBytes    int           // their bytes: 128 KiB, at least MaxPayload
	maxPartialAge      time.Duration // time for which a payload may lack fragments: 360 s
	linger             time.Duration // time for which an ended session acknowledges messages: 15 s

	// stock sends Acks as the stock game does: at once, and again every 666.6 ms until the ninth
	// send. The first three start a datagram; the others join one. If a message arrives again,
	// its Ack starts again. Acks are sent once to OpenBC. In a half-open session,
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
		KeepAlive:       5 * time.Second,
		PeerTimeout:     45 * time.Second,
		SendTimeout:     360 * time.Second,
		burst:           1,
		retransmit:      time.Second,
		retransmitSteps: 5,
		stock:           true,
	}
}

// maxAhead is the largest distance of a sequence number from the expected number.
const maxAhead = 0x3FFF

// complete returns the options with their defaults.
func (o Options) complete() *Options {
	o.Tick = durationOr(o.Tick, 50*time.Millisecond)
	o.burst = orDefault(o.burst, 4)
	o.retransmit = durationOr(o.retransmit, time.Second)
	o.retransmitSteps = int(min(int64(orDefault(o.retransmitSteps, 1)), int64(forever/4/o.retransmit)))
	o.window = min(orDefault(o.window, 256), maxAhead)
	o.MaxQueue = min(orDefault(o.MaxQueue, 1024), maxAhead)
	o.maxQueueBytes = orDefault(o.maxQueueBytes, 256<<10)
	o.maxBuffered = min(orDefault(o.maxBuffered, 256), maxAhead)
	o.maxBufferedBytes = orDefault(o.maxBufferedBytes, 256<<10)
	o.maxPartialPayloads = orDefault(o.maxPartialPayloads, defaultPartialPayloads)
	o.maxPartialBytes = max(orDefault(o.maxPartialBytes, defaultPartialBytes), MaxPayload)
	o.maxPartialAge = durationOr(o.maxPartialAge, defaultPartialAge)
	o.KeepAlive = durationOr(o.KeepAlive, 5*time.Second)
	o.PeerTimeout = durationOr(o.PeerTimeout, 45*time.Second)
	o.SendTimeout = durationOr(o.SendTimeout, 360*time.Second)
	o.HandshakeTimeout = durationOr(o.HandshakeTimeout, 30*time.Second)
	o.CloseTimeout = durationOr(o.CloseTimeout, 5*time.Second)
	o.linger = durationOr(o.linger, 15*time.Second)
	return &o
}

// interval returns the time to wait for the Ack of a message that was sent.
func (o *Options) interval(m *storedMessage) time.Duration {
	t := o.retransmit
	if typ := Type(m.wire[0]); typ != TypeConnect && typ != TypeDisconnect {
		t *= time.Duration(1 + (m.sends-1)%o.retransmitSteps)
	}
	if o.stock {
		t += strictly
	}
	return t
}
