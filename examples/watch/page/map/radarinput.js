// Pointer, wheel, touch and keys on the map, and its buttons.

import { nearest } from './actors.js';
import { camera, pan, zoom } from './camera.js';
import { $, attribute } from '../dom.js';
import { shown } from './draw.js';
import { canvas, fit, invalidate } from './radar.js';
import { app, on, set } from '../state.js';

const pointers = new Map();
let moved = 0;

// follow follows a ship, or no ship if it is followed already.
export function follow(id) {
  set('action', false, 'follow');
  set('follow', id && app.follow !== id ? id : null);
}

// action shows where the fight is, until the user moves the map.
export function action(on = !app.action) {
  set('follow', null);
  camera.auto = on;
  set('action', on, 'follow');
}

function place(e) {
  const r = canvas.getBoundingClientRect();
  return { x: e.clientX - r.left, y: e.clientY - r.top };
}

function down(e) {
  if (e.button > 0) return;
  canvas.setPointerCapture(e.pointerId);
  pointers.set(e.pointerId, place(e));
  moved = 0;
}

function move(e) {
  const now = place(e);
  const before = pointers.get(e.pointerId);
  if (!before) {
    canvas.classList.toggle('pointing', nearest(now.x, now.y) !== null);
    return;
  }
  moved += Math.abs(now.x - before.x) + Math.abs(now.y - before.y);
  if (pointers.size === 2) pinch(e.pointerId, before, now);
  else if (moved > 4) drag(now.x - before.x, now.y - before.y);
  pointers.set(e.pointerId, now);
  invalidate();
}

function drag(dx, dy) {
  set('follow', null);
  set('action', false, 'follow');
  pan(dx, dy);
}

// pinch zooms by the distance of two fingers.
function pinch(id, before, now) {
  const other = [...pointers].find(([key]) => key !== id)[1];
  const far = Math.hypot(now.x - other.x, now.y - other.y);
  const was = Math.hypot(before.x - other.x, before.y - other.y);
  moved += 10;
  set('action', false, 'follow');
  if (was > 5) zoom(far / was, (now.x + other.x) / 2, (now.y + other.y) / 2);
}

function up(e) {
  const at = pointers.get(e.pointerId);
  pointers.delete(e.pointerId);
  if (!at || moved > 4 || e.type !== 'pointerup') return;
  const actor = nearest(at.x, at.y);
  set('selected', actor ? actor.ship.id : null, 'select');
}

function wheel(e) {
  e.preventDefault();
  const { x, y } = place(e);
  set('action', false, 'follow');
  zoom(Math.exp(-e.deltaY * (e.deltaMode ? 0.05 : 0.0016)), x, y);
  invalidate();
}

const STEP = 60;
const KEYS = {
  ArrowLeft: () => drag(STEP, 0),
  ArrowRight: () => drag(-STEP, 0),
  ArrowUp: () => drag(0, STEP),
  ArrowDown: () => drag(0, -STEP),
};

function key(e) {
  if (e.ctrlKey || e.metaKey || e.altKey || !KEYS[e.key]) return;
  KEYS[e.key]();
  e.preventDefault();
  e.stopPropagation();
  invalidate();
}

export function zoomBy(factor) {
  set('action', false, 'follow');
  zoom(factor);
  invalidate();
}

function buttons() {
  $('#zoom-in').addEventListener('click', () => zoomBy(1.4));
  $('#zoom-out').addEventListener('click', () => zoomBy(1 / 1.4));
  $('#zoom-fit').addEventListener('click', () => {
    set('follow', null);
    fit();
  });
  $('#follow').addEventListener('click', () => follow(app.follow ?? app.selected));
  $('#action').addEventListener('click', () => action());
  for (const name of ['trails', 'labels', 'heights']) {
    const button = $(`#show-${name}`);
    button.addEventListener('click', () => {
      shown[name] = !shown[name];
      attribute(button, 'aria-pressed', shown[name]);
      invalidate();
    });
  }
  const state = () => {
    const button = $('#follow');
    attribute(button, 'aria-pressed', app.follow !== null);
    attribute($('#action'), 'aria-pressed', app.action);
    button.disabled = !app.follow && !app.selected;
  };
  on('follow select', state);
  state();
}

export function start() {
  canvas.addEventListener('pointerdown', down);
  canvas.addEventListener('pointermove', move);
  canvas.addEventListener('pointerup', up);
  canvas.addEventListener('pointercancel', up);
  canvas.addEventListener('wheel', wheel, { passive: false });
  canvas.addEventListener('keydown', key);
  canvas.addEventListener('dblclick', (e) => {
    const { x, y } = place(e);
    const actor = nearest(x, y);
    if (actor) follow(actor.ship.id);
  });
  on('follow', () => {
    if (!app.follow && camera.goal) camera.goal = null;
  });
  buttons();
}
