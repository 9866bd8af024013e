// Plots of values over time: lines or stacked areas with axes, a legend with the values at one
// time, and a table for everyone who cannot see the picture.

import { el, foreign, resized, svg, write } from '../dom.js';
import { clock, short } from '../format.js';
import { saveNodes } from '../picture.js';
import { report } from '../state.js';
import { plotTable } from './plottable.js';

const LEFT = 42;
const RIGHT = 8;
const TOP = 8;
const BOTTOM = 20;

export class Plot {
  // options: title, unit, height, stacked, steps (a value holds until the next),
  // join (missing values that a line crosses), most (of the axis),
  // until (a function that returns the end of the axis), format, seek
  constructor(options) {
    this.options = options;
    this.data = { x: [], series: [] };
    this.time = null;
    this.picture = svg('svg', { class: 'plot', role: 'img', 'aria-label': options.title, height: options.height });
    this.cursor = svg('line', { class: 'plot-cursor', y1: TOP, y2: options.height - BOTTOM });
    this.legend = el('ul', { class: 'legend' });
    this.table = plotTable(this);
    const save = el('button', { type: 'button', class: 'plot-png', 'aria-label': `${options.title}: save as PNG`, click: () => this.save() }, 'PNG');
    this.node = el('figure', { class: 'plot-box' },
      el('figcaption', null, el('span', { class: 'plot-title' }, options.title), el('span', { class: 'plot-unit' }, options.unit ?? '')),
      this.picture, this.legend, save, this.table.node);
    this.width = 0;
    this.observer = resized(this.legend, () => {
      const width = Math.floor(this.legend.getBoundingClientRect().width);
      if (width && width !== this.width) {
        this.width = width;
        this.draw();
      }
    });
    this.picture.addEventListener('pointermove', (e) => this.read(this.timeAt(e)));
    this.picture.addEventListener('pointerleave', () => this.read(this.time, this.values));
    this.picture.addEventListener('click', (e) => options.seek?.(this.timeAt(e)));
  }

  // show replaces the data: times x, and series with name, values, colour and dim.
  show(data) {
    this.data = data;
    this.draw();
    this.table.refresh();
  }

  px(t) {
    const { low, high } = this.range;
    return LEFT + ((t - low) / (high - low || 1)) * (this.width - LEFT - RIGHT);
  }

  py(v) {
    return this.options.height - BOTTOM - (v / this.top) * (this.options.height - TOP - BOTTOM);
  }

  timeAt(e) {
    const r = this.picture.getBoundingClientRect();
    const { low, high } = this.range ?? { low: 0, high: 1 };
    return low + ((e.clientX - r.left - LEFT) / Math.max(1, r.width - LEFT - RIGHT)) * (high - low);
  }

  draw() {
    const { x, series } = this.data;
    const { options, picture } = this;
    if (!this.width) return;
    picture.setAttribute('width', this.width);
    picture.setAttribute('viewBox', `0 0 ${this.width} ${options.height}`);
    this.range = { low: x[0] ?? 0, high: Math.max(x.at(-1) ?? 1, options.until?.() ?? -Infinity) };
    this.layers = options.stacked ? stack(series, x.length) : series.map((s) => s.values);
    const most = options.most ?? this.layers.reduce((m, values) => values.reduce((a, v) => (v > a ? v : a), m), 0);
    const step = nice(most / 3);
    this.top = options.most ?? (Math.ceil(most / step) * step || 1);
    picture.replaceChildren(...this.axes(step), ...this.shapes(), this.cursor);
    this.legend.replaceChildren(...series.map((s) => {
      const value = el('span', { class: 'legend-value' });
      const swatch = el('span', { class: `swatch ${s.dim ? 'thin' : ''}`, 'aria-hidden': 'true' });
      swatch.style.setProperty('--own', s.colour);
      return el('li', null, swatch, foreign(s.name), value);
    }));
    this.move(this.time, this.values);
  }

  axes(step) {
    const list = [];
    const { height } = this.options;
    for (let v = 0; v <= this.top * 1.001; v += step) {
      const y = Math.round(this.py(v)) + 0.5;
      list.push(svg('line', { class: 'plot-grid', x1: LEFT, x2: this.width - RIGHT, y1: y, y2: y }),
        svg('text', { class: 'plot-label', x: LEFT - 5, y: y + 3.5, 'text-anchor': 'end' }, this.options.format?.(v) ?? short(v)));
    }
    const { low, high } = this.range;
    const seconds = niceTime((high - low) / Math.max(1, (this.width - LEFT) / 90));
    for (let i = Math.ceil(low / seconds); i * seconds <= high; i++) {
      const px = this.px(i * seconds);
      if (px > this.width - 20) break;
      list.push(svg('text', { class: 'plot-label', x: px, y: height - 5, 'text-anchor': 'middle' }, clock(i * seconds, seconds < 1 ? 1 : 0)));
    }
    return list;
  }

  shapes() {
    const { x, series } = this.data;
    return series.map((s, k) => {
      const values = this.layers[k];
      if (this.options.stacked) {
        const below = this.layers[k + 1];
        let d = '';
        x.forEach((t, i) => (d += `${d ? 'L' : 'M'}${this.px(t).toFixed(1)} ${this.py(values[i]).toFixed(1)}`));
        for (let i = x.length - 1; i >= 0; i--) d += `L${this.px(x[i]).toFixed(1)} ${this.py(below?.[i] ?? 0).toFixed(1)}`;
        const area = svg('path', { class: 'plot-area', d: d && `${d}Z` });
        area.style.setProperty('--own', s.colour);
        return area;
      }
      const line = svg('path', { class: `plot-line ${s.dim ? 'thin' : ''}`, d: this.path(x, values) });
      line.style.setProperty('--own', s.colour);
      return line;
    });
  }

  path(x, values) {
    let d = '';
    let pen = false;
    let gap = 0;
    for (let i = 0; i < x.length; i++) {
      if (values[i] == null) {
        gap++;
        if (gap > (this.options.join ?? 0)) pen = false;
        continue;
      }
      gap = 0;
      const px = this.px(x[i]).toFixed(1);
      const py = this.py(values[i]).toFixed(1);
      if (pen && this.options.steps) d += `H${px}V${py}`;
      else d += `${pen ? 'L' : 'M'}${px} ${py}`;
      if (!pen && values[i + 1] == null) d += 'h.1';
      pen = true;
    }
    return d;
  }

  // move sets the time that the line and the legend show. The values of the series at that time are
  // those of the data, unless others are known better.
  move(time, values) {
    this.time = time;
    this.values = values;
    this.read(time, values);
  }

  read(time, values) {
    if (!this.range || time == null) return;
    const { x, series } = this.data;
    const px = this.px(Math.min(Math.max(time, this.range.low), this.range.high));
    this.cursor.setAttribute('transform', `translate(${px.toFixed(1)} 0)`);
    let i = x.length - 1;
    while (i > 0 && x[i] > time) i--;
    [...this.legend.children].forEach((item, k) => {
      const value = values ? values[k] : series[k]?.values[i];
      write(item.lastElementChild, value == null ? '–' : (this.options.format?.(value) ?? short(value)));
    });
  }

  save() {
    return saveNodes([...this.node.children].slice(0, 3), this.options.title.toLowerCase().replaceAll(' ', '-'), this.width).catch(report);
  }

  remove() {
    this.observer.disconnect();
    this.node.remove();
  }
}

// stack returns the upper edges of the areas; the first area is on top.
function stack(series, length) {
  const edges = new Array(series.length);
  let sum = new Array(length).fill(0);
  for (let k = series.length - 1; k >= 0; k--) {
    sum = sum.map((below, i) => below + (series[k].values[i] ?? 0));
    edges[k] = sum;
  }
  return edges;
}

function nice(least) {
  if (!(least > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 2.5, 5, 10].find((n) => n * power >= least * 0.999) * power;
}

function niceTime(least) {
  return [0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600].find((n) => n >= least) ?? 7200;
}
