// Playback of what the program has: play, pause, seek. The world is always exactly at app.time,
// or at an earlier time while a window loads.

import { aborted } from '../backend/api.js';
import { Failure } from '../backend/failure.js';
import { clamp } from '../format.js';
import { app, emit, report, set } from '../state.js';
import { indexOf, load, peek, prefetch, stale } from '../backend/windows.js';
import { world } from '../backend/world.js';

export const SPEEDS = [0.5, 1, 2, 4, 8, 16];

let current = null; // the window that the world is in
let at = 0; // the first change of it that is not applied
let wanted = 0; // counts seeks; a later one overtakes an earlier one
export const waiting = { since: 0 }; // when playback began to wait for a window, or 0

export const bounds = () => [app.info?.start ?? 0, app.info?.end ?? 0];

// seek moves the world to a time. It resolves when the world is there.
export async function seek(time) {
  if (!app.info || !Number.isFinite(time)) return;
  const target = clamp(time, ...bounds());
  const token = ++wanted;
  set('live', false);
  app.time = target;
  emit('time');
  const index = indexOf(target);
  try {
    const w = peek(index) ?? (await load(index));
    if (token !== wanted) return;
    enter(w, target);
  } catch (error) {
    if (!(error instanceof Failure) && !aborted(error)) report(error);
    else if (error.status) emit('problem', error.message);
  }
}

function enter(w, time) {
  if (w !== current || time < world.time) {
    world.load(w.snapshot, w.from);
    current = w;
    at = 0;
  }
  run(time);
  waiting.since = 0;
  around(app.playing ? 0 : 150);
  emit('world', 'seek');
}

let later = 0;

// around loads the windows beside the current one: the next for playback, those before for trails.
// After a seek it waits, because another seek may follow.
function around(delay) {
  clearTimeout(later);
  later = setTimeout(() => {
    if (!current) return;
    prefetch(current.index + 1);
    prefetch(current.index - 1);
    prefetch(current.index - 2);
  }, delay);
}

// run applies the changes up to a time, including that time.
function run(time) {
  const { changes } = current;
  while (at < changes.length && changes[at].t <= time) world.apply(changes[at++]);
  world.time = time;
}

// outrun makes the clock forget its window, when a live match or another link
// takes over the world.
export function outrun() {
  wanted++;
  current = null;
}

// advance plays on for some seconds of real time and reports whether the time has changed.
export function advance(seconds) {
  if (!app.playing || app.live || !current) return false;
  const [, end] = bounds();
  let time = app.time + seconds * app.speed;
  if (time >= end) {
    time = Math.max(end, app.time);
    if (app.info.live) {
      emit('end');
      return true;
    }
    if (!app.info.loading) set('playing', false, 'play');
  }
  time = through(time);
  const changed = time !== app.time;
  app.time = time;
  run(time);
  if (changed) emit('time');
  emit('world', 'play');
  return true;
}

// through enters the windows up to a time. It returns an earlier time if one is not there yet.
function through(time) {
  for (;;) {
    const known = current.complete ? current.to : Math.min(current.to, current.end);
    if (time < known || (time === known && !stale(current.index + 1) && known < current.to)) break;
    const again = known < current.to; // the match went on: the same window, with more in it
    const next = peek(again ? current.index : current.index + 1);
    if (!next || next === current) {
      if (known >= app.info.end) return Math.min(time, app.info.end);
      waiting.since ||= performance.now();
      prefetch(again ? current.index : current.index + 1);
      return Math.max(app.time, Math.min(time, known - 1e-6));
    }
    run(Math.min(known, next.to));
    if (again) {
      world.load(next.snapshot, next.from);
    }
    current = next;
    at = 0;
    waiting.since = 0;
    prefetch(current.index + 1);
    if (app.speed > 4) prefetch(current.index + 2);
  }
  return time;
}

export function play(on = !app.playing) {
  const [start, end] = bounds();
  if (on && !app.live && app.time >= end && !app.info.live) seek(start);
  set('playing', on, 'play');
}

export function faster(steps) {
  const i = SPEEDS.indexOf(app.speed) + steps;
  set('speed', SPEEDS[clamp(i, 0, SPEEDS.length - 1)], 'play');
}
