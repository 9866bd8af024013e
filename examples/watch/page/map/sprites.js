// Texts and glows, drawn once and copied in every frame.

import { colours } from '../palette.js';

const KEPT = 300;
const FONT = '"Inter", "Segoe UI", "Helvetica Neue", "Liberation Sans", Arial, sans-serif';
const sprites = new Map();

const isolated = (text) => `\u2068${text}\u2069`;

function cached(key, make) {
  const full = `${key}\n${colours.version}\n${devicePixelRatio}`;
  let sprite = sprites.get(full);
  if (sprite) return sprite;
  if (sprites.size >= KEPT) sprites.clear();
  sprite = make();
  sprites.set(full, sprite);
  return sprite;
}

function surface(width, height) {
  const ratio = devicePixelRatio;
  const image = document.createElement('canvas');
  image.width = Math.max(1, Math.ceil(width * ratio));
  image.height = Math.max(1, Math.ceil(height * ratio));
  const context = image.getContext('2d');
  context.scale(ratio, ratio);
  return { image, context, width: image.width / ratio, height: image.height / ratio };
}

let ruler = null;

// cut shortens a text to a width. Controls and line ends become spaces.
function cut(text, font, width) {
  ruler ??= document.createElement('canvas').getContext('2d');
  ruler.font = font;
  const clean = String(text).slice(0, 300).replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, ' ');
  if (ruler.measureText(isolated(clean)).width <= width) return clean;
  const letters = [...clean];
  let low = 0;
  let high = letters.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (ruler.measureText(isolated(letters.slice(0, middle).join('') + '…')).width <= width) low = middle;
    else high = middle - 1;
  }
  return letters.slice(0, low).join('') + '…';
}

// label returns the picture of a name with a smaller line below.
export function label(name, below, colour) {
  return cached(`${name}\n${below}\n${colour}`, () => {
    const bold = `600 12.5px ${FONT}`;
    const small = `10.5px ${FONT}`;
    const first = cut(name, bold, 150);
    const second = cut(below, small, 150);
    ruler.font = bold;
    const wide = ruler.measureText(isolated(first)).width;
    ruler.font = small;
    const width = Math.max(wide, ruler.measureText(isolated(second)).width) + 6;
    const sprite = surface(width, second ? 28 : 16);
    const c = sprite.context;
    c.textBaseline = 'middle';
    c.lineJoin = 'round';
    c.lineWidth = 3;
    c.strokeStyle = colours.halo;
    for (const [text, font, fill, y] of [[first, bold, colour, 8.5], [second, small, colours.dim, 21]]) {
      if (!text) continue;
      c.font = font;
      c.strokeText(isolated(text), 3, y);
      c.fillStyle = fill;
      c.fillText(isolated(text), 3, y);
    }
    return sprite;
  });
}

// note returns the picture of a short text such as a height.
export function note(text, colour, size = 10) {
  return cached(`note\n${text}\n${colour}\n${size}`, () => {
    const font = `${size}px ${FONT}`;
    const shown = cut(text, font, 120);
    const sprite = surface(ruler.measureText(isolated(shown)).width + 4, size + 6);
    const c = sprite.context;
    c.font = font;
    c.textBaseline = 'middle';
    c.lineWidth = 2.5;
    c.strokeStyle = colours.halo;
    c.strokeText(isolated(shown), 2, size / 2 + 3);
    c.fillStyle = colour;
    c.fillText(isolated(shown), 2, size / 2 + 3);
    return sprite;
  });
}

// glow returns a round light of a colour, 64 pixels wide.
export function glow(colour, core = '#fff') {
  return cached(`glow\n${colour}\n${core}`, () => {
    const sprite = surface(64, 64);
    const c = sprite.context;
    const gradient = c.createRadialGradient(32, 32, 0, 32, 32, 32);
    gradient.addColorStop(0, core);
    gradient.addColorStop(0.18, colour);
    gradient.addColorStop(0.4, `${colour}50`);
    gradient.addColorStop(1, `${colour}00`);
    c.globalAlpha = 0.9;
    c.fillStyle = gradient;
    c.fillRect(0, 0, 64, 64);
    return sprite;
  });
}

// stamp copies a sprite to whole pixels.
export function stamp(c, sprite, x, y) {
  const ratio = devicePixelRatio;
  c.drawImage(sprite.image, Math.round(x * ratio) / ratio, Math.round(y * ratio) / ratio, sprite.width, sprite.height);
}
