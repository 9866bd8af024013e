// Windows of the recording: a snapshot and the changes of five seconds. A bounded number is kept.

import { aborted, get } from './api.js';
import { Failure } from './failure.js';
import { app, emit, report } from '../state.js';

export const SIZE = 5; // seconds
const KEPT = 48;
const LATE = 2; // seconds that the program may take for datagrams of a live match

const kept = new Map(); // key → window; the first is the least recently used
const pending = new Map(); // key → promise

export const indexOf = (time) => Math.floor(time / SIZE);

const keyOf = (index) => `${app.link}/${index}`;

// fresh reports whether a window has all that the program knows of its time.
function fresh(w) {
  return w.complete || w.end >= Math.min(app.info.end, w.to);
}

// peek returns a window if it is there.
export function peek(index) {
  const key = keyOf(index);
  const w = kept.get(key);
  if (!w) return null;
  kept.delete(key);
  kept.set(key, w);
  return fresh(w) ? w : null;
}

// stale returns a window even if the match has gone on since.
export const stale = (index) => kept.get(keyOf(index)) ?? null;

// load returns a promise of a window.
export function load(index) {
  const w = peek(index);
  if (w) return Promise.resolve(w);
  const key = keyOf(index);
  if (!pending.has(key)) {
    const promise = request(key, index).finally(() => pending.delete(key));
    pending.set(key, promise);
  }
  return pending.get(key);
}

async function request(key, index) {
  const from = index * SIZE;
  const to = from + SIZE;
  const end = app.info.end;
  const complete = !app.info.loading && (!app.info.live || end >= to + LATE);
  const w = await get('window', { link: app.link, from, to });
  Object.assign(w, { index, end, complete, to });
  kept.delete(key);
  kept.set(key, w);
  while (kept.size > KEPT) kept.delete(kept.keys().next().value);
  emit('window', w);
  return w;
}

// prefetch loads a window that may be needed soon.
export function prefetch(index) {
  const from = index * SIZE;
  if (!app.info || from > app.info.end || from + SIZE < app.info.start) return;
  load(index).catch((error) => {
    if (!(error instanceof Failure) && !aborted(error)) report(error);
  });
}

export function forget() {
  kept.clear();
  pending.clear();
}
