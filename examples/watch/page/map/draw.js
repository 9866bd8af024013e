// Draws the ships: trails, heights, outlines, bars and names.

import { actorOfID, cast } from './actors.js';
import { camera, screenX, screenY } from './camera.js';
import { clock, signed } from '../format.js';
import { placeLabels } from './labels.js';
import { colours } from '../palette.js';
import { targetOf } from './scene.js';
import { path } from './shapes.js';
import { note, stamp } from './sprites.js';
import { app } from '../state.js';
import { hull, shields } from '../backend/world.js';

export const shown = { trails: true, labels: true, heights: true };

const TRAIL = 14; // seconds
const BANDS = [[0, 0.3, 0.1], [0.28, 0.65, 0.26], [0.63, 1, 0.6]]; // from, to, opacity

const notes = []; // the small texts of a picture and their places, the least important first

export function drawShips(c, time) {
  if (shown.trails) {
    trails(c, time);
    arrows(c, time);
  }
  range(c, time);
  if (shown.heights) stems(c);
  marks(c);
  for (const actor of cast) outline(c, actor);
  for (const actor of cast) bars(c, actor);
  placeLabels(c, shown.labels, notes);
}

// trails draws each track in three strokes, the older the fainter.
function trails(c, time) {
  c.lineWidth = 1.6;
  c.lineJoin = 'round';
  for (const actor of cast) {
    const { track } = actor;
    if (!track) continue;
    c.strokeStyle = actor.colour;
    for (const [from, to, opacity] of BANDS) {
      const begin = time - TRAIL * (1 - from);
      const end = time - TRAIL * (1 - to);
      let i = Math.max(0, track.before(begin));
      if (track.time(i) > end) continue;
      c.globalAlpha = opacity;
      c.beginPath();
      c.moveTo(screenX(track.x(i)), screenY(track.y(i), track.z(i)));
      for (i++; i < track.length && track.time(i) <= end; i++) {
        c.lineTo(screenX(track.x(i)), screenY(track.y(i), track.z(i)));
      }
      if (to === 1) c.lineTo(actor.sx, actor.sy);
      c.stroke();
    }
  }
  c.globalAlpha = 1;
}

const EVERY = 5; // seconds between the arrows on a path
const point = { x: 0, y: 0, z: 0, fx: 0, fy: 0 };

// arrows show the direction of each path, and for the selected ship the time.
function arrows(c, time) {
  c.lineWidth = 1.6;
  for (const actor of cast) {
    const { track } = actor;
    if (!track?.length) continue;
    c.strokeStyle = actor.colour;
    for (let t = Math.ceil((time - TRAIL) / EVERY) * EVERY; t < time - 1; t += EVERY) {
      if (t < track.time(0) || !track.sample(t, point)) continue;
      const x = screenX(point.x);
      const y = screenY(point.y, point.z);
      const angle = Math.atan2(point.fx, point.fy);
      c.globalAlpha = 0.9 - (0.7 * (time - t)) / TRAIL;
      c.beginPath();
      c.moveTo(x - 5 * Math.sin(angle + 0.6), y + 5 * Math.cos(angle + 0.6));
      c.lineTo(x, y);
      c.lineTo(x - 5 * Math.sin(angle - 0.6), y + 5 * Math.cos(angle - 0.6));
      c.stroke();
      if (actor.ship.id === app.selected) notes.push([note(clock(t, 0), colours.text, 9.5), x + 6, y - 8]);
    }
  }
  c.globalAlpha = 1;
}

// range joins the selected ship with its target, and tells the distance.
function range(c, time) {
  const actor = app.selected && actorOfID(app.selected);
  const key = actor && targetOf(actor.ship.key, time);
  const target = key && cast.find((other) => other.ship.key === key);
  if (!target || target === actor) return;
  c.strokeStyle = colours.accent;
  c.lineWidth = 1;
  c.setLineDash([3, 5]);
  c.beginPath();
  c.moveTo(actor.sx, actor.sy);
  c.lineTo(target.sx, target.sy);
  c.stroke();
  c.setLineDash([]);
  const text = note(`${Math.round(distance(actor, target))} units`, colours.accent, 11);
  notes.push([text, (actor.sx + target.sx - text.width) / 2, (actor.sy + target.sy) / 2 - 8]);
}

const distance = (a, b) => Math.hypot(a.x - b.x, a.y - b.y, a.z - b.z);

// stems shows the height of a ship as a line to its place on the map.
function stems(c) {
  for (const actor of cast) {
    if (Math.abs(actor.gy - actor.sy) < 3) continue;
    c.strokeStyle = actor.colour;
    c.globalAlpha = 0.5;
    c.lineWidth = 1;
    c.beginPath();
    c.moveTo(actor.sx, actor.sy);
    c.lineTo(actor.sx, actor.gy);
    c.moveTo(actor.sx + 5, actor.gy);
    c.ellipse(actor.sx, actor.gy, 5, 2, 0, 0, Math.PI * 2);
    c.stroke();
    c.globalAlpha = 1;
    if (!shown.labels || cast.length > 24 || Math.abs(actor.gy - actor.sy) < 24) continue;
    const text = note(signed(actor.z), colours.dim, 9.5);
    notes.push([text, actor.sx + 7, actor.gy - text.height / 2]);
  }
}

const RINGS = [50, 100];

// marks shows the selected and the followed ship.
function marks(c) {
  for (const actor of cast) {
    const { ship } = actor;
    if (ship.id !== app.selected && ship.id !== app.follow) continue;
    c.strokeStyle = colours.accent;
    if (ship.id === app.follow) {
      c.lineWidth = 1;
      c.globalAlpha = 0.35;
      for (const radius of RINGS) {
        const r = radius * camera.scale;
        if (r < 30 || r > 4000) continue;
        c.beginPath();
        c.arc(actor.sx, actor.sy, r, 0, Math.PI * 2);
        c.stroke();
        const text = note(String(radius), colours.accent, 9.5);
        stamp(c, text, actor.sx + r * Math.SQRT1_2, actor.sy - r * Math.SQRT1_2 - 14);
      }
      c.globalAlpha = 1;
    }
    if (ship.id === app.selected) corners(c, actor.sx, actor.sy, 19);
  }
}

function corners(c, x, y, r) {
  c.lineWidth = 1.5;
  c.beginPath();
  for (const [dx, dy] of [[-1, -1], [1, -1], [1, 1], [-1, 1]]) {
    c.moveTo(x + dx * r, y + dy * (r - 6));
    c.lineTo(x + dx * r, y + dy * r);
    c.lineTo(x + dx * (r - 6), y + dy * r);
  }
  c.stroke();
}

function outline(c, actor) {
  const { ship } = actor;
  const size = Math.min(1.7, Math.max(0.85, camera.scale * 0.42));
  c.save();
  c.translate(actor.sx, actor.sy);
  // The velocity of the next three seconds.
  const way = Math.min(90, actor.speed * 3 * camera.scale);
  if (way > 14 && ship.life === 'alive') {
    c.strokeStyle = actor.colour;
    c.globalAlpha = ship.cloaked ? 0.25 : 0.55;
    c.lineWidth = 1;
    c.beginPath();
    c.moveTo(0, 0);
    c.lineTo(Math.sin(actor.angle) * way, -Math.cos(actor.angle) * way);
    c.stroke();
  }
  c.rotate(actor.angle);
  c.scale(size, size);
  const shape = path(ship.class);
  c.lineWidth = 2.4 / size;
  c.globalAlpha = 1;
  if (ship.cloaked) {
    c.globalAlpha = 0.5;
    c.setLineDash([2, 2]);
    c.lineWidth = 1 / size;
    c.strokeStyle = actor.colour;
    c.stroke(shape);
  } else if (ship.life === 'alive') {
    c.strokeStyle = colours.halo;
    c.stroke(shape);
    c.fillStyle = actor.colour;
    c.fill(shape);
  } else {
    c.globalAlpha = 0.8;
    c.lineWidth = 1 / size;
    c.strokeStyle = ship.life === 'dying' ? colours.poor : colours.unknown;
    c.stroke(shape);
  }
  c.restore();
}

// bars shows shields above hull below a ship.
function bars(c, actor) {
  const { ship } = actor;
  if (ship.life !== 'alive') return;
  const left = Math.round(actor.sx) - 15;
  const top = Math.round(actor.sy) + 20;
  bar(c, left, top, shields(ship), colours.shield);
  const condition = hull(ship);
  bar(c, left, top + 4, condition, condition > 0.66 ? colours.good : condition > 0.33 ? colours.fair : colours.poor);
}

function bar(c, x, y, fraction, colour) {
  c.fillStyle = colours.halo;
  c.fillRect(x - 1, y - 1, 32, 4.5);
  if (fraction == null) {
    c.fillStyle = colours.unknown;
    for (let i = 0; i < 30; i += 6) c.fillRect(x + i, y, 3, 2.5);
    return;
  }
  c.fillStyle = colours.line;
  c.fillRect(x, y, 30, 2.5);
  c.fillStyle = colour;
  c.fillRect(x, y, 30 * fraction, 2.5);
}

