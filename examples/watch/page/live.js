// The end of a live match: the stream of changes, and the way back to it.

import { aborted, get, health } from './api.js';
import { outrun } from './clock.js';
import { Failure } from './failure.js';
import { app, emit, on, report, set } from './state.js';
import { feed, restart, trim } from './scene.js';
import { world } from './world.js';

export const stream = { source: null, broken: false, attempt: 0, draw: 0, last: 0 };

let attempts = 0; // counts calls of open; a later one overtakes an earlier one

// open connects to the stream of the current link. To follow the match, it takes the world from a
// snapshot and streams the changes from there.
export async function open() {
  close();
  if (!app.info?.live) return;
  if (!app.info.links.length) return retry(); // a program that was started again has no client yet
  const mine = attempts;
  let from = null;
  if (app.live) {
    from = app.info.end;
    try {
      const w = await get('window', { link: app.link, from, to: from });
      if (mine !== attempts) return;
      begin(w.snapshot, from);
    } catch (error) {
      if (mine !== attempts || aborted(error)) return;
      if (!(error instanceof Failure)) report(error);
      retry();
      return;
    }
  }
  listen(from);
}

function begin(snapshot, time) {
  outrun();
  world.load(snapshot, time);
  restart(snapshot.ships, time);
  app.time = time;
  stream.draw = time;
  emit('time');
  emit('world', 'live');
}

function listen(from) {
  const source = new EventSource(`/api/stream?link=${app.link}${from === null ? '' : `&from=${from}`}`);
  stream.source = source;
  source.addEventListener('open', () => {
    const again = stream.broken;
    stream.attempt = 0;
    stream.broken = false;
    if (again) emit('back');
    emit('health');
  });
  source.addEventListener('info', (e) => emit('announce', JSON.parse(e.data)));
  source.addEventListener('changes', (e) => receive(JSON.parse(e.data), from !== null));
  source.addEventListener('error', () => {
    if (stream.source === source) retry();
  });
}

function close() {
  attempts++;
  clearTimeout(stream.timer);
  stream.source?.close();
  stream.source = null;
}

// retry connects again, with a growing delay.
function retry() {
  close();
  stream.broken = true;
  stream.timer = setTimeout(open, Math.min(8000, 400 * 2 ** stream.attempt++));
  emit('health');
  // Tells a broken stream from a program that is gone. The end is that of the last frame, which may
  // be too long ago for a stream, and the link may be gone.
  emit('outdated');
}

function receive(message, complete) {
  stream.last = performance.now();
  emit('announce', { end: message.to, messages: message.messages, events: message.events });
  if (!app.live || !complete) return;
  for (const change of message.changes) {
    world.apply(change);
    feed(change);
  }
  world.time = app.time = Math.max(world.time, message.to);
  trim(world.time);
  emit('time');
  emit('world', 'live');
}

// goLive returns to the end of the match.
export function goLive() {
  if (!app.info?.live || app.live) return;
  set('live', true);
  set('speed', 1, 'play');
  set('playing', true, 'play');
  open();
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
