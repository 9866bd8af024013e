// The scene: tracks of ships and effects of shots around the current time, for drawing. It is
// built from windows, or grows with a live match.

import { app, on } from '../state.js';
import { Track } from './track.js';
import { indexOf, stale } from '../backend/windows.js';

const BEAM = 1.5; // seconds that a beam without a stop is drawn
const TORPEDO = 24; // game units per second; the wire has no speed
const EFFECTS = 600;

export const scene = {
  tracks: new Map(), // by the key of a ship
  keys: new Map(), // from the ID of a ship to the key of its newest track
  effects: [], // by time
  built: '', // the windows that it was built from
};

function clear() {
  scene.tracks.clear();
  scene.keys.clear();
  scene.effects.length = 0;
}

// begin starts the track of a ship unless there is one.
function begin(ship, t, born) {
  scene.keys.set(ship.id, ship.key);
  let track = scene.tracks.get(ship.key);
  if (!track) {
    track = new Track(ship);
    scene.tracks.set(ship.key, track);
    track.add(Math.min(ship.t ?? t, t), ship);
  }
  if (born) track.born = t;
}

const trackOf = (id) => scene.tracks.get(scene.keys.get(id));

// feed adds a change to the scene.
export function feed(change) {
  const { t } = change;
  switch (change.kind) {
    case 'create':
      begin(change.ship, t, true);
      add({ kind: 'arrival', t0: t, t1: t + 1.2, key: change.ship.key });
      break;
    case 'motion':
      trackOf(change.id)?.add(t, change);
      break;
    case 'dying':
      if (trackOf(change.id)) trackOf(change.id).died = t;
      add({ kind: 'death', t0: t, t1: t + 2.6, key: scene.keys.get(change.id) });
      break;
    case 'remove':
      if (trackOf(change.id)) trackOf(change.id).gone = t;
      break;
    case 'torpedo':
      add({ kind: 'torpedo', t0: t, t1: t + flight(change), id: change.id, key: scene.keys.get(change.id),
        target: scene.keys.get(change.target), from: change.from, direction: change.direction });
      break;
    case 'beam':
      add({ kind: 'beam', t0: t, t1: t + BEAM, id: change.id, weapon: change.weapon, key: scene.keys.get(change.id),
        target: scene.keys.get(change.target), direction: change.direction });
      break;
    case 'beamstop':
      stop(change);
      break;
    case 'explosion':
      add({ kind: 'explosion', t0: t, t1: t + 0.9, key: scene.keys.get(change.id), position: change.position,
        radius: change.radius, damage: change.damage });
      break;
    case 'collision':
      add({ kind: 'collision', t0: t, t1: t + 0.8, key: scene.keys.get(change.id ?? change.other), position: change.position });
  }
}

function add(effect) {
  scene.effects.push(effect);
}

// flight returns the seconds that a torpedo is drawn.
function flight(change) {
  const target = trackOf(change.target)?.last.position;
  if (!target || !change.from) return 3;
  return Math.min(8, Math.max(0.3, Math.hypot(...target.map((x, i) => x - change.from[i])) / TORPEDO));
}

function stop(change) {
  for (let i = scene.effects.length - 1; i >= 0; i--) {
    const effect = scene.effects[i];
    if (change.t - effect.t0 > 10) return;
    if (effect.kind === 'beam' && effect.id === change.id && effect.weapon === change.weapon && effect.t1 > change.t) {
      effect.t1 = Math.max(effect.t0 + 0.25, change.t);
    }
  }
}

// build makes the scene of the windows around the current time that are there.
export function build() {
  if (app.live || !app.info) return;
  const middle = indexOf(app.time);
  const around = [middle - 2, middle - 1, middle, middle + 1].map(stale);
  const name = around.map((w) => (w ? `${w.index}:${w.changes.length}` : '')).join() + app.link;
  if (name === scene.built) return;
  scene.built = name;
  clear();
  for (const w of around) {
    if (!w) continue;
    for (const ship of w.snapshot.ships) begin(ship, w.from, false);
    for (const change of w.changes) feed(change);
  }
}

// targetOf returns the key of the ship at which a ship has fired last, within ten seconds.
export function targetOf(key, time) {
  return scene.effects.findLast((e) => e.key === key && e.target && (e.kind === 'beam' || e.kind === 'torpedo') && e.t0 <= time && e.t0 > time - 10)?.target;
}

// inAction returns the keys of the ships that fire, are hit or collide about a time: those of a death, if one is near. A
// recording knows it before it happens.
export function inAction(time) {
  const keys = new Set();
  const death = scene.effects.find((e) => e.kind === 'death' && e.t0 > time - 2.5 && e.t0 < time + 6);
  for (const { kind, t0, key, target } of scene.effects) {
    if (kind === 'arrival' || t0 < time - 4 || t0 > time + 1) continue;
    if (!death || key === death.key || target === death.key) keys.add(key).add(target);
  }
  return keys.add(death?.key);
}

// restart makes the scene of a live match from a snapshot.
export function restart(ships, t) {
  scene.built = 'live';
  clear();
  for (const ship of ships) begin(ship, t, false);
}

// trim forgets what a live match has left behind.
export function trim(t) {
  if (scene.effects.length > EFFECTS) scene.effects = scene.effects.filter((effect) => effect.t1 > t - 5);
  if (scene.tracks.size <= 64) return;
  for (const [key, track] of scene.tracks) {
    if (track.gone < t - 30) scene.tracks.delete(key);
  }
}

on('world', (cause) => {
  if (cause !== 'live') build();
});
on('window', build);
