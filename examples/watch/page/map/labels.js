// Places the names of ships, and small texts, where they cover no other text and no ship.

import { cast } from './actors.js';
import { camera } from './camera.js';
import { colours } from '../palette.js';
import { kindOf } from '../list/ships.js';
import { label, stamp } from './sprites.js';
import { app } from '../state.js';

const taken = new Float64Array(4 * 128); // rectangles: left, top, right, bottom
let count = 0;

function take(left, top, right, bottom) {
  if (count >= 128) return;
  taken.set([left, top, right, bottom], 4 * count++);
}

function free(left, top, right, bottom) {
  for (let i = 0; i < count; i++) {
    const k = 4 * i;
    if (left < taken[k + 2] && right > taken[k] && top < taken[k + 3] && bottom > taken[k + 1]) return false;
  }
  return true;
}

const SIDES = 6;
const RINGS = [0, 26, 58]; // pixels from the usual place; a line leads to a label that is farther away
const PLACES = SIDES * RINGS.length;

// corner returns the left upper corner of a label at a place around a ship.
function cornerX(place, actor, width) {
  const side = place % SIDES;
  const out = RINGS[Math.floor(place / SIDES)] + (side < 2 ? 18 : 10);
  return side % 2 ? actor.sx - width - out : actor.sx + out;
}

function cornerY(place, actor, height) {
  const side = place % SIDES;
  const out = RINGS[Math.floor(place / SIDES)] + 12;
  if (side < 2) return actor.sy - height / 2;
  return side < 4 ? actor.sy - height - out : actor.sy + out;
}

export function placeLabels(c, names, notes) {
  count = 0;
  for (const actor of cast) take(actor.sx - 13, actor.sy - 13, actor.sx + 13, actor.sy + 27);
  if (names) placeNames(c);
  while (notes.length) {
    const [sprite, x, y] = notes.pop();
    if (!free(x, y, x + sprite.width, y + sprite.height)) continue;
    take(x, y, x + sprite.width, y + sprite.height);
    stamp(c, sprite, x, y);
  }
}

function placeNames(c) {
  for (const actor of cast) {
    let sprite = picture(actor);
    if (actor.sx < -60 || actor.sx > camera.width + 60 || actor.sy < -40 || actor.sy > camera.height + 40) continue;
    let place = placeFor(actor, sprite, SIDES);
    if (place < 0) {
      sprite = label(actor.labelName || actor.ship.class || 'unknown', '', actor.colour);
      place = placeFor(actor, sprite, actor.labelName ? PLACES : SIDES);
    }
    if (place < 0 && actor.ship.id !== app.selected) continue; // there is no room
    actor.place = Math.max(0, place);
    const { width, height } = sprite;
    const x = cornerX(actor.place, actor, width);
    const y = cornerY(actor.place, actor, height);
    take(x, y, x + width, y + height);
    c.globalAlpha = actor.ship.cloaked ? 0.6 : 1;
    if (actor.place >= SIDES) lead(c, actor, x < actor.sx ? x + width : x, y + height / 2);
    stamp(c, sprite, x, y);
  }
  c.globalAlpha = 1;
}

function lead(c, actor, x, y) {
  c.strokeStyle = actor.colour;
  c.lineWidth = 1;
  c.beginPath();
  c.moveTo(actor.sx, actor.sy);
  c.lineTo(x, y);
  c.stroke();
}

// placeFor returns one of the first places around a ship where a label covers nothing, or -1. The last one is tried
// first, so that labels are calm.
function placeFor(actor, { width, height }, places) {
  for (let i = 0; i < places; i++) {
    const place = (actor.place + i) % places;
    const x = cornerX(place, actor, width);
    const y = cornerY(place, actor, height);
    if (x > 2 && x + width < camera.width - 2 && free(x, y, x + width, y + height)) return place;
  }
  return -1;
}

// picture returns the label of an actor, which keeps it while its text is the same.
function picture(actor) {
  const { ship } = actor;
  const status = ship.life === 'dying' ? 'destroyed' : ship.cloaked ? 'cloaked' : '';
  const selected = ship.id === app.selected;
  const version = colours.version * 2 + (selected ? 1 : 0);
  if (actor.sprite && actor.labelStatus === status && actor.labelTeam === ship.team && actor.labelName === ship.name && actor.labelVersion === version) return actor.sprite;
  actor.sprite = label(ship.name || (ship.class ?? 'unknown class'), `${kindOf(ship)} ${status}`.trim(), selected ? colours.text : actor.colour);
  Object.assign(actor, { labelStatus: status, labelTeam: ship.team, labelName: ship.name, labelVersion: version });
  return actor.sprite;
}
