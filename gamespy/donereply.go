package gamespy

import "time"

// doneReplies holds the completed replies of several parts, because UDP may duplicate a part.
type doneReplies struct {
	known map[replyID]bool
	order []doneReply // oldest first
}

type doneReply struct {
	replyID
	at time.Time
}

// add adds a completed reply and forgets the oldest if there is no room.
func (d *doneReplies) add(now time.Time, id replyID, most int) {
	if len(d.order) >= most {
		d.forget()
	}
	if d.known == nil {
		d.known = map[replyID]bool{}
	}
	d.known[id] = true
	d.order = append(d.order, doneReply{id, now})
}

// has reports whether a reply was completed within an age. It forgets older replies.
func (d *doneReplies) has(now time.Time, id replyID, age time.Duration) bool {
	for len(d.order) > 0 && now.Sub(d.order[0].at) > age {
		d.forget()
	}
	return d.known[id]
}

// forget forgets the oldest reply.
func (d *doneReplies) forget() {
	delete(d.known, d.order[0].replyID)
	d.order = d.order[1:]
}
