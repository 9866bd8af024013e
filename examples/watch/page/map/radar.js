// The map: one canvas, drawn while something moves.

import { actorOfID, assemble, cast, place, project } from './actors.js';
import { camera, centre, frame, glide, jump } from './camera.js';
import { advance } from '../playback/clock.js';
import { $, attribute, reducedMotion, resized, write } from '../dom.js';
import { drawShips } from './draw.js';
import { busy, over, under } from './effects.js';
import { plural } from '../format.js';
import { background } from './grid.js';
import { drawTime, moving } from '../playback/live.js';
import { read } from '../palette.js';
import { inAction } from './scene.js';
import { app, on, report, set } from '../state.js';
import { world } from '../backend/world.js';

export const canvas = $('#map');
const context = canvas.getContext('2d', { alpha: false });

let requested = false;
let last = 0;
let settled = false; // the camera has seen the ships once
export const frames = { drawn: 0 };

// invalidate asks for a frame.
export function invalidate() {
  if (requested) return;
  requested = true;
  requestAnimationFrame(tick);
}

function tick(now) {
  requested = false;
  const seconds = Math.min(0.25, Math.max(0, (now - last) / 1000));
  const first = now - last > 500;
  last = now;
  try {
    const playing = advance(first ? 0 : seconds);
    const gliding = canvas.offsetParent !== null && draw(first ? 1 / 60 : seconds);
    if (playing || gliding || moving()) invalidate();
  } catch (error) {
    report(error);
  }
}

// draw draws a frame and reports whether the camera still moves.
function draw(seconds) {
  const time = drawTime(seconds);
  if (!camera.drag) choosePlace();
  assemble(time);
  aim(time);
  const gliding = reducedMotion.matches || !settled ? jump() : glide(seconds);
  settled ||= cast.length > 0;
  project();
  const ratio = devicePixelRatio;
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.drawImage(background(), 0, 0);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  under(context, time);
  drawShips(context, time);
  over(context, time);
  frames.drawn++;
  return Boolean(gliding) || (app.live && busy(time));
}

// fighters returns the ships of the fight, or all ships.
function fighters(time) {
  const keys = inAction(time);
  const some = cast.filter((actor) => keys.has(actor.ship.key));
  return some.length ? some : cast;
}

function aim(time) {
  const followed = app.follow && actorOfID(app.follow);
  if (followed) centre(followed);
  else if (app.action) frame(fighters(time), !settled);
  else if (camera.auto) frame(cast, !settled);
}

// choosePlace keeps to one star system if there are several.
function choosePlace() {
  const followed = world.ships.get(app.follow ?? app.selected);
  if (followed) place.set = followed.set || place.set;
  for (const ship of world.ships.values()) {
    if (!ship.set || ship.set === place.set) return;
  }
  place.set = world.ships.values().next().value?.set ?? '';
}

// fit shows all ships again.
export function fit() {
  set('action', false, 'follow');
  camera.auto = true;
  frame(cast, true);
  invalidate();
}

function resize() {
  const { width, height } = canvas.parentElement.getBoundingClientRect();
  if (!width || !height) return;
  const ratio = devicePixelRatio;
  camera.width = width;
  camera.height = height;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  if (camera.auto) settled = false;
  invalidate();
}

function emptyText() {
  if (app.info.live && !app.info.links.length) return 'Nobody has connected yet. Players connect to the address that the program has printed.';
  if (app.live) return 'No ships yet. A ship appears when its player has chosen it.';
  if (app.info.messages) return 'No ships at this time. Play on, or choose a mark in the timeline.';
  return 'There are no messages of the game.';
}

// describe tells in words how many ships the map shows.
function describe() {
  const n = world.ships.size;
  const empty = $('#map-empty');
  empty.hidden = n > 0 || !app.info || app.info.loading;
  if (!empty.hidden) write(empty, emptyText());
  attribute(canvas, 'aria-label', `Map of ${plural(n, 'ship')}. Arrow keys move it, plus and minus zoom, 0 shows all ships.`);
}

export function start() {
  read();
  resized(canvas.parentElement, resize);
  on('world', () => {
    describe();
    invalidate();
  });
  on('info', describe);
  on('window theme select follow view layout play', invalidate);
  on('link', () => {
    settled = false;
    place.set = '';
  });
  document.addEventListener('visibilitychange', invalidate);
  window.addEventListener('beforeprint', () => {
    if (canvas.offsetParent) draw(0); // in the colours of paper, before the next frame
  });
}
