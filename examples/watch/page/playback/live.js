// The end of a live match: the windows that follow it, and the way back to it.

import { aborted, get } from '../backend/api.js';
import { outrun } from './clock.js';
import { Failure } from '../backend/failure.js';
import { app, emit, on, report, set } from '../state.js';
import { feed, restart, trim } from '../map/scene.js';
import { world } from '../backend/world.js';

const INTERVAL = 150; // milliseconds between an answer and the next request
const PATIENCE = 20_000; // milliseconds after which the world begins with a snapshot again

// tail is how far the page is. Of the program it has: now, the seconds since the server was heard on the link, and
// those since any server was, if that is long.
export const tail = { broken: false, attempt: 0, draw: 0, last: 0, now: 0, news: 0, age: 0, silent: 0 };

let follower = 0; // counts calls of open; a later one overtakes an earlier one

// open follows the end of the match on the current link until the next call. If the page shows the end, it
// takes the world from a snapshot, and the changes of windows that continue there.
export async function open() {
  const mine = ++follower;
  clearTimeout(tail.timer);
  if (!app.info?.live) return;
  let from = null; // of the next window
  for (;;) {
    const asked = performance.now();
    try {
      const w = await get('window', { link: app.link, from, snapshot: app.live && from === null ? 1 : 0 });
      if (mine !== follower) return;
      receive(w);
      from = app.live ? w.to : null;
    } catch (error) {
      if (mine !== follower || aborted(error)) return;
      if (!(error instanceof Failure)) report(error);
      retry();
      return;
    }
    await new Promise((done) => setTimeout(done, Math.max(INTERVAL, performance.now() - asked))); // the program stays idle half of the time
    if (mine !== follower) return;
    if (performance.now() - asked > PATIENCE) from = null; // the browser has let the page wait
  }
}

function begin(snapshot, time, now) {
  outrun();
  world.load(snapshot, time);
  restart(snapshot.ships, time);
  app.time = now;
  tail.draw = time;
  emit('time');
  emit('world', 'live');
}

// retry opens again, with a growing delay.
function retry() {
  tail.broken = true;
  tail.timer = setTimeout(open, Math.min(8000, 400 * 2 ** tail.attempt++));
  emit('health');
  // The link may be gone.
  emit('outdated');
}

function receive(w) {
  tail.attempt = 0;
  if (tail.broken) {
    tail.broken = false;
    emit('back');
    emit('health');
  }
  const { now, news, age, silent } = w;
  const same = now === tail.now && news === tail.news && !silent === !tail.silent;
  Object.assign(tail, { now, news, age, silent });
  if (!same) emit('announce', w);
  if (!app.live) return;
  if (w.best !== app.link) return emit('better', w.best);
  if (w.snapshot) begin(w.snapshot, w.to, now);
  app.time = Math.max(app.time, now); // the clock goes on also if nothing happens
  emit('time');
  if (!w.changes.length) return;
  tail.last = performance.now();
  for (const change of w.changes) {
    world.apply(change);
    feed(change);
  }
  world.time = Math.max(world.time, w.to);
  trim(world.time);
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

// drawTime returns the time to draw. In a live match it runs evenly, a little behind the world.
export function drawTime(seconds) {
  if (!app.live) return app.time;
  const behind = world.time - 0.2 - tail.draw;
  if (Math.abs(behind) > 1.5) tail.draw = world.time - 0.2;
  else tail.draw += Math.max(0, seconds * (1 + Math.max(-0.5, Math.min(0.5, behind))));
  return tail.draw;
}

// moving reports whether something has changed lately.
export const moving = () => app.live && performance.now() - tail.last < 2000;

on('end', goLive);
on('back', () => {
  if (tail.broken) open();
});
