// The events of the match on the current link: chat, kills, joins and so on.

import { Failure, aborted, get } from './api.js';
import { app, emit, on, report } from './state.js';

const PAGE = 500;
const MOST = 20000; // events that are kept

export const log = { events: [], total: 0 };

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
      const from = log.events.length ? log.events.at(-1).n + 1 : 0;
      const answer = await get('events', { link, from, count: PAGE });
      if (link !== app.link) break;
      log.total = answer.total;
      append(answer.events);
      if (!answer.events.length || log.events.at(-1).n + 1 >= answer.total || log.events.length >= MOST) break;
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
  let next = log.events.length ? log.events.at(-1).n + 1 : 0;
  for (const event of events) {
    if (event.n < next || log.events.length >= MOST) continue;
    log.events.push(event);
    next = event.n + 1;
  }
  if (events.length) emit('events');
}

// arrived takes events from the stream. If one is missing, the rest is requested.
function arrived(message) {
  if (!message.events?.length) return;
  const next = log.events.length ? log.events.at(-1).n + 1 : 0;
  if (message.events[0].n > next) update();
  else append(message.events);
}

function forget() {
  log.events = [];
  log.total = 0;
  emit('events');
  update();
}

// plain isolates a text of the match inside a line of plain text.
const plain = (text) => `\u2068${String(text).replace(/[\u202a-\u202e\u2066-\u2069]/g, '')}\u2069`;

export const whoOf = (event) => event.player || (event.peer == null ? 'someone' : `peer ${event.peer}`);
export const otherOf = (event) => event.otherPlayer || (event.other == null ? '' : `peer ${event.other}`);

// eventText tells an event in one line of plain text.
export function eventText(event) {
  const who = plain(whoOf(event));
  const other = otherOf(event) && plain(otherOf(event));
  switch (event.kind) {
    case 'chat':
      return `${who}: ${plain(event.text)}`;
    case 'teamchat':
      return `${who} (team): ${plain(event.text)}`;
    case 'kill':
      return `${who} destroys ${other}${event.weapon ? ` · ${event.weapon}` : ''}`;
    case 'death':
      return `${who} is destroyed`;
    case 'join':
      return `${who} joins`;
    case 'leave':
      return `${who} leaves`;
    case 'collision':
      return `${who} collides${other ? ` with ${other}` : ''}`;
    default:
      return event.text ? plain(event.text) : `${who} ${event.kind}`;
  }
}

export function start() {
  on('announce', arrived);
  on('link restart', forget);
  on('info', update);
}
