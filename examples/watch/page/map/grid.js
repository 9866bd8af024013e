// The background of the map: a grid, its coordinates and a scale. It is drawn again only if the
// camera has moved.

import { camera, mapX, mapY, screenX, screenY } from './camera.js';
import { colours } from '../palette.js';
import { note, stamp } from './sprites.js';

const layer = document.createElement('canvas');
const context = layer.getContext('2d', { alpha: false });
let drawn = '';

const TOP = 245; // the buttons are above

// background returns a picture of the size of the map.
export function background() {
  const ratio = devicePixelRatio;
  const name = `${camera.x} ${camera.y} ${camera.scale} ${camera.width} ${camera.height} ${ratio} ${colours.version}`;
  if (name === drawn) return layer;
  drawn = name;
  const width = Math.max(1, Math.round(camera.width * ratio));
  const height = Math.max(1, Math.round(camera.height * ratio));
  if (layer.width !== width || layer.height !== height) Object.assign(layer, { width, height });
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.fillStyle = colours.map;
  context.fillRect(0, 0, camera.width, camera.height);
  const step = stepFor(110 / camera.scale);
  lines(step / 5, colours.grid, false);
  lines(step, colours['grid-strong'], true);
  scaleBar(step);
  return layer;
}

// stepFor returns the next of 1, 2, 5, 10, 20 …
function stepFor(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].find((n) => n * power >= least) * power;
}

function lines(step, colour, numbered) {
  const c = context;
  c.strokeStyle = colour;
  c.lineWidth = 1;
  c.beginPath();
  const half = (v) => Math.round(v) + 0.5;
  const columns = [Math.ceil(mapX(0) / step), Math.floor(mapX(camera.width) / step)];
  const rows = [Math.ceil(mapY(camera.height) / step), Math.floor(mapY(0) / step)];
  for (let i = columns[0]; i <= columns[1]; i++) {
    const x = half(screenX(i * step));
    c.moveTo(x, 0);
    c.lineTo(x, camera.height);
  }
  for (let i = rows[0]; i <= rows[1]; i++) {
    const y = half(screenY(i * step));
    c.moveTo(0, y);
    c.lineTo(camera.width, y);
  }
  c.stroke();
  if (!numbered) return;
  for (let i = columns[0]; i <= columns[1]; i++) {
    stamp(c, note(label(i * step), colours.dim), screenX(i * step) + 2, camera.height - 17);
  }
  for (let i = rows[0]; i <= rows[1]; i++) {
    const y = screenY(i * step);
    if (y > TOP && y < camera.height - 24) stamp(c, note(label(i * step), colours.dim), 3, y - 15);
  }
}

const label = (n) => String(+n.toPrecision(6)).replace('-', '−');

// scaleBar shows a length on the map.
function scaleBar(step) {
  const c = context;
  const length = step * camera.scale;
  const right = camera.width - 16;
  const y = camera.height - 46;
  c.strokeStyle = colours.dim;
  c.lineWidth = 1.5;
  c.beginPath();
  c.moveTo(right - length, y - 4);
  c.lineTo(right - length, y);
  c.lineTo(right, y);
  c.lineTo(right, y - 4);
  c.stroke();
  const text = note(`${label(step)} units`, colours.dim);
  stamp(c, text, right - length / 2 - text.width / 2, y + 1);
}
