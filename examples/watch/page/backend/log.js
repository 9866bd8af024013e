// The events of the match on the current link: chat, kills, joins and so on.

import { aborted, get } from './api.js';
import { Failure } from './failure.js';
import { app, emit, on, report } from '../state.js';

const PAGE = 500;
const MOST = 20000; // events that are kept

export const log = { events: [], next: 0, total: 0 };

let running = false;
let again = false;

// update requests the events that are new.
async function update() {
  if (!app.info?.links.length) return;
  if (running) {
    again = true;
    return;
  }
  running = true;
  const { link } = app;
  try {
    for (;;) {
      const from = log.next;
      const answer = await get('events', { link, from, count: PAGE });
      if (link !== app.link) break;
      log.total = answer.total;
      append(answer.events);
      if (!answer.events.length || log.next >= answer.total || log.events.length >= MOST) break;
    }
  } catch (error) {
    if (!(error instanceof Failure) && !aborted(error)) report(error);
  }
  running = false;
  if (again || link !== app.link) {
    again = false;
    update();
  }
}

function append(events) {
  for (const event of events) {
    if (event.n < log.next || log.events.length >= MOST) continue;
    log.events.push(event);
    log.next = event.n + 1;
  }
  // A join waits for a name, and a leave for its reason, so that others may come before it.
  log.events.sort((a, b) => a.t - b.t || a.n - b.n);
  if (events.length) emit('events');
}

// arrived asks for the events that a live match has more.
function arrived({ events }) {
  if (events > log.total) update();
}

function forget() {
  log.events = [];
  log.next = 0;
  log.total = 0;
  emit('events');
  update();
}

// plain isolates a text of the match inside a line of plain text.
const plain = (text) => `\u2068${String(text).replace(/[\u202a-\u202e\u2066-\u2069]/g, '')}\u2069`;

export const whoOf = (event) => event.player || (event.peer == null ? 'someone' : `peer ${event.peer}`);
export const otherOf = (event) => event.otherPlayer || (event.other == null ? '' : `peer ${event.other}`);

// words tells an event as the program dump does. Texts of the match are objects; those that name a player have the player.
export function words(event) {
  const { kind, text, weapon } = event;
  const who = { text: whoOf(event), player: event.player || '' };
  const other = otherOf(event) && { text: otherOf(event), player: event.otherPlayer || '' };
  switch (kind) {
    case 'chat':
      return [who, ': ', { text }];
    case 'teamchat':
      return [who, ' to the team: ', { text }];
    case 'kill':
      return [who, ' destroys ', other, ...(weapon ? [' (', { text: weapon }, ')'] : [])];
    case 'death':
      return [who, ' explodes', ...(text ? [': ', { text }] : [])];
    case 'join':
      return [who, ' joins'];
    case 'leave':
      return [who, ' leaves', text && text !== 'left' ? ` (${text})` : ''];
    case 'rename':
      return [{ text }, ' is now ', who];
    case 'collision':
      return [who, ' collides', ...(other ? [' with ', other] : [])];
    default:
      return kind === 'score' || event.peer == null ? [{ text }] : [who, ' ', { text }];
  }
}

// eventText tells an event in one line of plain text.
export const eventText = (event) => words(event).map((word) => (word.text === undefined ? word : plain(word.text))).join('');

export function start() {
  on('announce', arrived);
  on('link restart', forget);
  on('info', update);
}
