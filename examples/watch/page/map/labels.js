// Places the names of ships where they cover no other name and no ship.

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

// corner returns the left upper corner of a label on a side of a ship.
function cornerX(side, actor, width) {
  if (side === 0 || side === 2 || side === 4) return actor.sx + (side === 0 ? 18 : 10);
  return actor.sx - width - (side === 1 ? 18 : 10);
}

function cornerY(side, actor, height) {
  if (side < 2) return actor.sy - height / 2;
  return side < 4 ? actor.sy - height - 12 : actor.sy + 12;
}

export function placeLabels(c) {
  count = 0;
  for (const actor of cast) take(actor.sx - 13, actor.sy - 13, actor.sx + 13, actor.sy + 27);
  for (const actor of cast) {
    let sprite = picture(actor);
    if (actor.sx < -60 || actor.sx > camera.width + 60 || actor.sy < -40 || actor.sy > camera.height + 40) continue;
    let side = sideFor(actor, sprite);
    if (side < 0) {
      sprite = label(actor.labelName || actor.ship.class || 'unknown', '', actor.colour);
      side = sideFor(actor, sprite);
    }
    if (side < 0 && actor.ship.id !== app.selected) continue; // there is no room
    actor.side = Math.max(0, side);
    const { width, height } = sprite;
    const x = cornerX(actor.side, actor, width);
    const y = cornerY(actor.side, actor, height);
    take(x, y, x + width, y + height);
    c.globalAlpha = actor.ship.cloaked ? 0.6 : 1;
    stamp(c, sprite, x, y);
  }
  c.globalAlpha = 1;
}

// sideFor returns a side of a ship where a label covers nothing, or -1.
function sideFor(actor, { width, height }) {
  for (let i = 0; i < SIDES; i++) {
    const side = (actor.side + i) % SIDES;
    const x = cornerX(side, actor, width);
    const y = cornerY(side, actor, height);
    if (x > 2 && x + width < camera.width - 2 && free(x, y, x + width, y + height)) return side;
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
