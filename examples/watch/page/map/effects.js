// Draws shots, explosions, collisions, arrivals and deaths.

import { spot } from './actors.js';
import { camera, screenX, screenY } from './camera.js';
import { canvasColour, colours } from '../palette.js';
import { scene } from './scene.js';
import { glow, note, stamp } from './sprites.js';
import { world } from '../backend/world.js';

const from = { x: 0, y: 0 };
const to = { x: 0, y: 0 };

// under draws the effects below the ships, over the effects above them.
export function under(c, time) {
  each(time, (effect, f) => {
    if (effect.kind === 'beam') beam(c, effect, time, f);
    else if (effect.kind === 'arrival') arrival(c, effect, time, f);
  });
  c.globalAlpha = 1;
}

export function over(c, time) {
  each(time, (effect, f) => {
    if (effect.kind === 'torpedo') torpedo(c, effect, time, f);
    else if (effect.kind === 'explosion') explosion(c, effect, time, f);
    else if (effect.kind === 'collision') collision(c, effect, time, f);
    else if (effect.kind === 'death') death(c, effect, time, f);
  });
  c.globalAlpha = 1;
}

function each(time, draw) {
  for (const effect of scene.effects) {
    if (effect.t0 <= time && time < effect.t1) draw(effect, (time - effect.t0) / (effect.t1 - effect.t0));
  }
}

// busy reports whether an effect goes on at a time.
export function busy(time) {
  return scene.effects.some((effect) => effect.t0 <= time && time < effect.t1);
}

function colourOf(id) {
  const ship = world.ships.get(id);
  return ship ? canvasColour(ship.name) : colours.spark;
}

function point(position, out) {
  out.x = screenX(position[0]);
  out.y = screenY(position[1], position[2]);
  return true;
}

// beam draws from the shooter to the target, or some way in its direction.
function beam(c, effect, time, f) {
  if (!spot(effect.key, time, from)) return;
  if (!(effect.target && spot(effect.target, time, to))) {
    if (!effect.direction) return;
    const [x, y, z] = effect.direction;
    to.x = from.x + x * 60 * camera.scale;
    to.y = from.y - (y + z * 0.35) * 60 * camera.scale;
  }
  const fade = f > 0.8 ? (1 - f) * 5 : 1;
  c.lineCap = 'round';
  c.strokeStyle = colourOf(effect.id);
  c.globalAlpha = 0.35 * fade;
  c.lineWidth = 5;
  line(c);
  c.globalAlpha = fade;
  c.lineWidth = 1.6;
  line(c);
  c.lineCap = 'butt';
  c.globalAlpha = 0.8 * fade;
  light(c, glow(colours.spark), to.x, to.y, 14);
}

function line(c) {
  c.beginPath();
  c.moveTo(from.x, from.y);
  c.lineTo(to.x, to.y);
  c.stroke();
}

function light(c, sprite, x, y, size) {
  c.drawImage(sprite.image, x - size / 2, y - size / 2, size, size);
}

// torpedo draws a light on its way to the target. The wire has its start and its direction only.
function torpedo(c, effect, time, f) {
  if (!(effect.from && point(effect.from, from)) && !spot(effect.key, effect.t0, from)) return;
  if (!(effect.target && spot(effect.target, time, to))) {
    if (!effect.direction) return;
    const [x, y, z] = effect.direction;
    to.x = from.x + x * 72 * camera.scale;
    to.y = from.y - (y + z * 0.35) * 72 * camera.scale;
  }
  const x = from.x + (to.x - from.x) * f;
  const y = from.y + (to.y - from.y) * f;
  const tail = Math.max(0, f - 0.12);
  c.strokeStyle = colourOf(effect.id);
  c.lineWidth = 1.5;
  c.globalAlpha = 0.6;
  c.beginPath();
  c.moveTo(from.x + (to.x - from.x) * tail, from.y + (to.y - from.y) * tail);
  c.lineTo(x, y);
  c.stroke();
  c.globalAlpha = 1;
  light(c, glow(colourOf(effect.id)), x, y, 16);
}

function explosion(c, effect, time, f) {
  if (!spot(effect.key, time, to) && !(effect.position && point(effect.position, to))) return;
  const size = Math.min(60, 16 + Math.sqrt(effect.damage ?? 100) * 0.5);
  c.globalAlpha = 1 - f;
  light(c, glow(colours.spark), to.x, to.y, size * (0.7 + f));
  ring(c, colours.spark, to.x, to.y, 6 + f * size * 0.7, 1.5);
}

function collision(c, effect, time, f) {
  if (!(effect.position && point(effect.position, to)) && !spot(effect.key, time, to)) return;
  c.globalAlpha = 1 - f;
  c.strokeStyle = colours.spark;
  c.lineWidth = 1.8;
  c.beginPath();
  for (let i = 0; i < 8; i++) {
    const angle = (i * Math.PI) / 4 + 0.2;
    const near = 6 + f * 16;
    const far = near + 8 * (1 - f);
    c.moveTo(to.x + Math.cos(angle) * near, to.y + Math.sin(angle) * near);
    c.lineTo(to.x + Math.cos(angle) * far, to.y + Math.sin(angle) * far);
  }
  c.stroke();
}

function arrival(c, effect, time, f) {
  if (!spot(effect.key, time, to)) return;
  c.globalAlpha = f;
  ring(c, colours.accent, to.x, to.y, 12 + (1 - f) * 40, 1.5);
}

function death(c, effect, time, f) {
  if (!spot(effect.key, Math.min(time, effect.t0 + 0.5), to)) return;
  c.globalAlpha = 1 - f;
  light(c, glow(colours.spark, colours.poor), to.x, to.y, 40 + f * 50);
  ring(c, colours.poor, to.x, to.y, 10 + f * 60, 2.5);
  ring(c, colours.spark, to.x, to.y, 4 + f * 36, 1.5);
  if (f < 0.8) {
    const text = note('destroyed', colours.poor, 11);
    stamp(c, text, to.x - text.width / 2, to.y - 34 - f * 12);
  }
}

function ring(c, colour, x, y, radius, width) {
  c.strokeStyle = colour;
  c.lineWidth = width;
  c.beginPath();
  c.arc(x, y, radius, 0, Math.PI * 2);
  c.stroke();
}
