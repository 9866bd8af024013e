// Pictures to keep: PNG of the map, a plot and the report, and a film of the map.

import { el } from './dom.js';
import { app } from './state.js';

// download gives the user a file about the match. What it shows is the end of its name.
export function download(blob, what) {
  const url = URL.createObjectURL(blob);
  el('a', { href: url, download: `${app.info.title.replace(/[^\w.-]+/g, '_')}-${what}` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

export const saveCanvas = (canvas, what) => canvas.toBlob((blob) => download(blob, `${what}.png`));

const MARGIN = 12; // pixels, as in .picture
const LARGEST = 16_000; // pixels of a canvas in either direction

// saveNodes saves a PNG of elements with the style sheets of the page. The browser draws them as an SVG, which loads nothing
// and runs nothing.
export async function saveNodes(nodes, what, width) {
  const sheets = await Promise.all([...document.styleSheets].map(async ({ href }) => (await fetch(href)).text()));
  const box = el('div', { class: 'picture' }, ...nodes.map((node) => node.cloneNode(true)));
  box.style.cssText = `position: absolute; left: -99999px; width: ${width + 2 * MARGIN}px`;
  document.body.append(box); // to know its height
  const { width: wide, height } = box.getBoundingClientRect();
  box.remove();
  box.removeAttribute('style');
  const { theme } = document.documentElement.dataset;
  const html = new XMLSerializer().serializeToString(el('div', { xmlns: 'http://www.w3.org/1999/xhtml' }, box));
  const style = sheets.join('\n').replace(/[&<]/g, (c) => `\\${c.charCodeAt(0).toString(16)} `);
  const source = `<svg xmlns="http://www.w3.org/2000/svg" data-theme="${theme}" width="${wide}" height="${height}"><style>${style}</style><foreignObject width="100%" height="100%">${html}</foreignObject></svg>`;
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(source)}`;
  await image.decode();
  const scale = Math.min(2, LARGEST / Math.max(wide, height));
  const canvas = el('canvas', { width: Math.floor(wide * scale), height: Math.floor(height * scale) });
  const context = canvas.getContext('2d');
  context.scale(scale, scale);
  context.drawImage(image, 0, 0);
  saveCanvas(canvas, what);
}
