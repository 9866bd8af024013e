// Actors are the ships on the map at the time to draw. They are kept from frame to frame.

import { screenX, screenY } from './camera.js';
import { canvasColour, colours } from '../palette.js';
import { scene } from './scene.js';
import { world } from '../backend/world.js';

const actors = new Map(); // by the key of a ship
export const cast = []; // the actors of this frame
export const place = { set: '' }; // the star system of the map

// assemble finds the ships of the star system at a time.
export function assemble(time) {
  cast.length = 0;
  for (const ship of world.ships.values()) {
    if (!ship.position || (place.set && ship.set && ship.set !== place.set)) continue;
    let actor = actors.get(ship.key);
    if (!actor) {
      if (actors.size > 200) actors.clear();
      actor = { x: 0, y: 0, z: 0, fx: 0, fy: 0, speed: 0, age: 0, sx: 0, sy: 0, gy: 0, angle: 0, place: 0, colour: '', version: 0 };
      actors.set(ship.key, actor);
    }
    if (actor.version !== colours.version || actor.owner !== ship.name) {
      Object.assign(actor, { version: colours.version, owner: ship.name, colour: canvasColour(ship.name) });
    }
    actor.ship = ship;
    actor.track = scene.tracks.get(ship.key);
    if (!actor.track?.sample(time, actor)) still(actor, ship);
    if (actor.fx || actor.fy) actor.angle = Math.atan2(actor.fx, actor.fy);
    cast.push(actor);
  }
  return cast;
}

// still takes the position of a ship without a track.
function still(actor, ship) {
  [actor.x, actor.y, actor.z] = ship.position;
  [actor.fx, actor.fy] = ship.forward ?? [0, 0];
  actor.speed = ship.speed ?? 0;
}

// project computes the places on the screen.
export function project() {
  for (const actor of cast) {
    actor.sx = screenX(actor.x);
    actor.sy = screenY(actor.y, actor.z);
    actor.gy = screenY(actor.y);
  }
}

export const actorOfID = (id) => cast.find((actor) => actor.ship.id === id);

// nearest returns the actor at a place of the screen, or null.
export function nearest(x, y, reach = 26) {
  let best = null;
  let least = reach;
  for (const actor of cast) {
    const distance = Math.hypot(actor.sx - x, actor.sy - y);
    if (distance < least) [best, least] = [actor, distance];
  }
  return best;
}

// spot writes where a track is at a time, on the screen, to out.
const sample = { x: 0, y: 0, z: 0 };
export function spot(key, time, out) {
  const track = scene.tracks.get(key);
  if (!track?.sample(time, sample)) return false;
  out.x = screenX(sample.x);
  out.y = screenY(sample.y, sample.z);
  return true;
}
