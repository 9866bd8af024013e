// The six shield facings around the outline of a ship: from above for front, rear, left and
// right, from the side for top and bottom.

import { attribute, svg, write } from '../dom.js';
import { level, percent } from '../format.js';
import { outline } from '../map/shapes.js';

export const FACES = ['Front', 'Rear', 'Top', 'Bottom', 'Left', 'Right'];

// arc returns a part of a circle around a centre. Angles are degrees; 0 is up.
function arc(x, y, r, from, to) {
  const point = (degrees) => {
    const a = ((degrees - 90) * Math.PI) / 180;
    return `${(x + r * Math.cos(a)).toFixed(2)} ${(y + r * Math.sin(a)).toFixed(2)}`;
  };
  return `M${point(from)}A${r} ${r} 0 0 1 ${point(to)}`;
}

const ABOVE = [76, 66];
const SIDE = [214, 66];

const PLACES = [
  { d: arc(...ABOVE, 46, -40, 40), x: ABOVE[0], y: 13 },
  { d: arc(...ABOVE, 46, 140, 220), x: ABOVE[0], y: 127 },
  { d: arc(SIDE[0], SIDE[1] + 22, 58, -44, 44), x: SIDE[0], y: 22 },
  { d: arc(SIDE[0], SIDE[1] - 22, 58, 136, 224), x: SIDE[0], y: 118 },
  { d: arc(...ABOVE, 46, 230, 310), x: 25, y: 70, anchor: 'end' },
  { d: arc(...ABOVE, 46, 50, 130), x: 127, y: 70, anchor: 'start' },
];

// The profile of a ship from the side, nose to the left.
const PROFILE = 'M-26 0C-20-4-8-5-2-5L4-5L8-3L22-4L26-2L22 1L8 2L2 6L-6 6L-8 2C-16 2-22 2-26 0Z';

export class Shields {
  constructor() {
    this.ship = svg('path', { class: 'hull-shape' });
    this.profile = svg('path', { class: 'hull-shape', d: PROFILE, transform: `translate(${SIDE.join(' ')})` });
    this.faces = PLACES.map((place) => ({
      under: svg('path', { class: 'face-under', d: place.d }),
      arc: svg('path', { class: 'face', d: place.d, pathLength: 100 }),
      text: svg('text', { class: 'face-text', x: place.x, y: place.y, 'text-anchor': place.anchor ?? 'middle' }),
    }));
    this.node = svg('svg', { class: 'shields', viewBox: '-14 0 308 134', role: 'img' },
      this.ship, this.profile,
      svg('text', { class: 'face-view', x: ABOVE[0] + 50, y: 130 }, 'above'),
      svg('text', { class: 'face-view', x: SIDE[0] + 38, y: 130 }, 'side'),
      ...this.faces.flatMap((face) => [face.under, face.arc, face.text]));
  }

  // update shows the facings, or none if they are unknown, and the condition of the hull.
  update(className, facings, condition) {
    attribute(this.ship, 'd', outline(className));
    attribute(this.ship, 'transform', `translate(${ABOVE.join(' ')}) scale(2.5)`);
    for (const shape of [this.ship, this.profile]) attribute(shape, 'data-level', level(condition));
    this.faces.forEach((face, i) => {
      const value = facings?.[i] ?? null;
      attribute(face.arc, 'data-level', level(value));
      attribute(face.arc, 'stroke-dasharray', `${((value ?? 0) * 100).toFixed(1)} 200`);
      face.arc.style.opacity = value ? 0.55 + value * 0.45 : 0;
      write(face.text, percent(value));
    });
    const words = FACES.map((face, i) => `${face} ${percent(facings?.[i] ?? null)}`).join(', ');
    attribute(this.node, 'aria-label', facings ? `Shields: ${words}` : 'Shields: unknown');
  }
}
