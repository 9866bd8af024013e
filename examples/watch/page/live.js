// The end of a live match: the stream of changes, and the way back to it.

import { down, get, health } from './api.js';
import { outrun } from './clock.js';
import { app, emit, on, report, set } from './state.js';
import { feed, restart, trim } from './scene.js';
import { world } from './world.js';

export const stream = { source: null, broken: false, attempt: 0, draw: 0, last: 0 };

let reached = null; // the time up to which the world has every change
let joining = null; // the messages that wait for a snapshot

// open connects to the stream of the current link.
export function open() {
  close();
  if (!app.info?.live) return;
  const source = new EventSource(`/api/stream?link=${app.link}`);
  stream.source = source;
  source.addEventListener('open', () => {
    const again = stream.broken;
    stream.attempt = 0;
    stream.broken = false;
    if (again) emit('back');
    emit('health');
    if (app.live) join();
  });
  source.addEventListener('info', (e) => emit('announce', JSON.parse(e.data)));
  source.addEventListener('changes', (e) => receive(JSON.parse(e.data)));
  source.addEventListener('error', () => {
    if (stream.source === source) retry();
  });
}

function close() {
  clearTimeout(stream.timer);
  stream.source?.close();
  stream.source = null;
  reached = joining = null;
}

// retry connects again, with a growing delay.
function retry() {
  close();
  stream.broken = true;
  const delay = Math.min(8000, 400 * 2 ** stream.attempt++);
  stream.timer = setTimeout(open, delay);
  emit('health');
  get('info').catch(() => {}); // tells a broken stream from a program that is gone
}

function receive(message) {
  stream.last = performance.now();
  emit('announce', { end: message.to, messages: message.messages, events: message.events });
  if (!app.live) return;
  if (joining) joining.push(message);
  else if (reached === null || message.from > reached + 1e-6) join(message);
  else follow(message);
}

function follow(message) {
  for (const change of message.changes) {
    if (change.t < reached) continue;
    world.apply(change);
    feed(change);
  }
  reached = Math.max(reached, message.to);
  world.time = app.time = reached;
  trim(reached);
  emit('time');
  emit('world', 'live');
}

// join takes the world from a snapshot: at the start of the first message that follows it, or now.
async function join(first = null) {
  const at = first?.from ?? app.info.end;
  joining = first ? [first] : [];
  const mine = joining;
  try {
    const w = await get('window', { link: app.link, from: at, to: at });
    if (joining !== mine || !app.live) return;
    joining = null;
    outrun();
    world.load(w.snapshot, at);
    restart(w.snapshot.ships, at);
    world.time = app.time = at;
    stream.draw = at;
    reached = first ? at : null; // without a message, the stream may begin later
    emit('time');
    emit('world', 'live');
    for (const message of mine) receive(message);
  } catch (error) {
    if (joining === mine) joining = null;
    if (error.status === undefined) report(error);
    else if (error.status === 0) down();
  }
}

// goLive returns to the end of the match.
export function goLive() {
  if (!app.info?.live || app.live) return;
  set('live', true);
  set('speed', 1, 'play');
  set('playing', true, 'play');
  reached = null;
  if (stream.source?.readyState === EventSource.OPEN) join();
}

// drawTime returns the time to draw. In a live match it runs evenly, a little behind the stream.
export function drawTime(seconds) {
  if (!app.live) return app.time;
  const behind = world.time - 0.2 - stream.draw;
  if (Math.abs(behind) > 1.5) stream.draw = world.time - 0.2;
  else stream.draw += Math.max(0, seconds * (1 + Math.max(-0.5, Math.min(0.5, behind))));
  return stream.draw;
}

// moving reports whether the stream has brought something lately.
export const moving = () => app.live && performance.now() - stream.last < 2000;

on('end', goLive);
on('back', () => {
  if (app.info?.live && !stream.source && !health.down) open();
});
