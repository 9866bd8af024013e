// Places the names of ships where they cover no other name and no ship.

import { cast } from './actors.js';
import { camera } from './camera.js';
import { colours } from './palette.js';
import { label, stamp } from './sprites.js';
import { app } from './state.js';

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
    const sprite = picture(actor);
    const { width, height } = sprite;
    if (actor.sx < -60 || actor.sx > camera.width + 60 || actor.sy < -40 || actor.sy > camera.height + 40) continue;
    let chosen = actor.side;
    for (let i = 0; i < SIDES; i++) {
      const side = (actor.side + i) % SIDES;
      const x = cornerX(side, actor, width);
      const y = cornerY(side, actor, height);
      if (x > 2 && x + width < camera.width - 2 && free(x, y, x + width, y + height)) {
        chosen = side;
        break;
      }
    }
    actor.side = chosen;
    const x = cornerX(chosen, actor, width);
    const y = cornerY(chosen, actor, height);
    take(x, y, x + width, y + height);
    c.globalAlpha = actor.ship.cloaked ? 0.6 : 1;
    stamp(c, sprite, x, y);
  }
  c.globalAlpha = 1;
}

// picture returns the label of an actor, which keeps it while its text is the same.
function picture(actor) {
  const { ship } = actor;
  const status = ship.life === 'dying' ? 'destroyed' : ship.cloaked ? 'cloaked' : '';
  const selected = ship.id === app.selected;
  const version = colours.version * 2 + (selected ? 1 : 0);
  if (actor.sprite && actor.labelStatus === status && actor.labelName === ship.name && actor.labelVersion === version) return actor.sprite;
  const kind = ship.class ?? 'unknown class';
  const below = ship.name ? kind : '';
  actor.sprite = label(ship.name || kind, status ? `${below} ${status}`.trim() : below, selected ? colours.text : actor.colour);
  Object.assign(actor, { labelStatus: status, labelName: ship.name, labelVersion: version });
  return actor.sprite;
}
