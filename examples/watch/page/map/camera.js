// The camera looks down on the map: +x is right, +y is up on the screen. A height lifts a ship a
// little above its place on the map.

import { clamp } from '../format.js';

const LIFT = 0.35;
const NEAR = 60; // pixels a game unit
const FAR = 0.002;

export const camera = {
  x: 0,
  y: 0,
  scale: 2,
  width: 1,
  height: 1,
  auto: true, // keeps all ships in sight
  goal: null, // where the camera is going: x, y, scale
};

export const screenX = (x) => camera.width / 2 + (x - camera.x) * camera.scale;
export const screenY = (y, z = 0) => camera.height / 2 - (y - camera.y + z * LIFT) * camera.scale;
export const mapX = (sx) => camera.x + (sx - camera.width / 2) / camera.scale;
export const mapY = (sy) => camera.y - (sy - camera.height / 2) / camera.scale;

// zoom changes the scale and keeps the point under the pointer.
export function zoom(factor, sx = camera.width / 2, sy = camera.height / 2) {
  const x = mapX(sx);
  const y = mapY(sy);
  camera.scale = clamp(camera.scale * factor, FAR, NEAR);
  camera.x = x - (sx - camera.width / 2) / camera.scale;
  camera.y = y + (sy - camera.height / 2) / camera.scale;
  camera.auto = false;
  camera.goal = null;
}

export function pan(dx, dy) {
  camera.x -= dx / camera.scale;
  camera.y += dy / camera.scale;
  camera.auto = false;
  camera.goal = null;
}

const box = { left: 0, right: 0, bottom: 0, top: 0 };

// frame makes all ships the goal of the camera. Unless forced, a camera that shows them well
// stays, so that the map is calm.
export function frame(ships, force = false) {
  if (!ships.length) return;
  box.left = box.bottom = Infinity;
  box.right = box.top = -Infinity;
  for (const s of ships) {
    box.left = Math.min(box.left, s.x);
    box.right = Math.max(box.right, s.x);
    box.bottom = Math.min(box.bottom, s.y, s.y + s.z * LIFT);
    box.top = Math.max(box.top, s.y, s.y + s.z * LIFT);
  }
  const width = Math.max(1, camera.width - 170);
  const height = Math.max(1, camera.height - 150);
  const scale = clamp(Math.min(width / Math.max(40, box.right - box.left), height / Math.max(40, box.top - box.bottom)), FAR, 12);
  const goal = camera.goal ?? camera;
  const margin = (low, high, middle, size) => Math.max(middle - low, high - middle) * goal.scale * 2 > size;
  const outside = margin(box.left, box.right, goal.x, camera.width - 60) || margin(box.bottom, box.top, goal.y, camera.height - 60);
  if (!force && !outside && scale < goal.scale * 1.45) return;
  camera.goal = { x: (box.left + box.right) / 2, y: (box.bottom + box.top) / 2, scale: force ? scale : scale * 0.94 };
}

// centre makes a ship the middle of the map.
export function centre(ship) {
  camera.auto = false;
  camera.goal = { x: ship.x, y: ship.y + ship.z * LIFT, scale: camera.goal?.scale ?? camera.scale };
}

// glide moves the camera towards its goal and reports whether it is still on the way.
export function glide(seconds) {
  const { goal } = camera;
  if (!goal) return false;
  const f = 1 - Math.exp(-seconds * 6);
  camera.x += (goal.x - camera.x) * f;
  camera.y += (goal.y - camera.y) * f;
  camera.scale *= (goal.scale / camera.scale) ** f;
  const left = Math.hypot(goal.x - camera.x, goal.y - camera.y) * camera.scale;
  if (left < 0.3 && Math.abs(goal.scale / camera.scale - 1) < 0.002) {
    jump();
    return false;
  }
  return true;
}

// jump takes the camera to its goal at once.
export function jump() {
  if (!camera.goal) return;
  Object.assign(camera, { x: camera.goal.x, y: camera.goal.y, scale: camera.goal.scale });
  camera.goal = null;
}
