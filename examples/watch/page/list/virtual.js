// A list of any length that keeps elements for the visible rows only. All rows have one height.
// One row is in the order of the tab key; arrow keys, Page Up, Page Down, Home and End move it. A print has other rows,
// without places of their own: all of a short list, or those from the upper edge on.

import { attribute, el, resized } from '../dom.js';
import { clamp, number } from '../format.js';

const TALLEST = 8e6; // pixels; browsers limit the height of an element
const PRINTED = 500; // rows

export class VirtualList {
  // options: host, label, head, rowHeight, make() → element, draw(element, index),
  // activate(index), columns, moved(index); has(index) reports whether a row is there, or asks for it
  constructor(options) {
    this.options = options;
    this.count = 0;
    this.active = 0;
    this.place = 0; // the index at the upper edge
    this.hidden = true;
    this.late = null; // what to reveal when the list is shown
    this.pool = [];
    this.sizer = el('div', { class: 'sizer', role: 'presentation' });
    this.scroller = el('div', { class: 'scroller', role: 'rowgroup' }, this.sizer);
    this.grid = el('div', { class: 'grid', role: 'grid', 'aria-label': options.label, 'aria-colcount': options.columns }, options.head, this.scroller);
    this.paper = this.grid.appendChild(el('div', { class: 'paper', role: 'rowgroup' }));
    options.host.append(this.grid);
    window.addEventListener('beforeprint', () => this.paper.replaceChildren(...this.#paper()));
    window.addEventListener('afterprint', () => this.paper.replaceChildren());
    this.scroller.addEventListener('scroll', () => this.layout());
    this.scroller.addEventListener('wheel', (e) => this.#wheel(e), { passive: false });
    this.scroller.addEventListener('keydown', (e) => this.#key(e));
    this.scroller.addEventListener('click', (e) => {
      const row = e.target.closest('[data-index]');
      if (row) this.choose(Number(row.dataset.index));
    });
    resized(this.scroller, () => {
      this.tall = this.height;
      if (this.inSight && this.tall) this.reveal(this.active); // something that opened may cover it
      else this.layout();
    });
  }

  get height() {
    return this.scroller.clientHeight;
  }

  // range returns the number of rows that fit, and how far the list can scroll.
  #range() {
    const rows = this.height / this.options.rowHeight;
    const size = Math.min(this.count * this.options.rowHeight, TALLEST);
    return { rows, size, pixels: Math.max(0, size - this.height), last: Math.max(0, this.count - rows) };
  }

  // first returns the index at the upper edge, with a fraction.
  first() {
    const { pixels, last } = this.#range();
    return pixels ? (this.scroller.scrollTop / pixels) * last : 0;
  }

  setCount(count) {
    this.count = count;
    attribute(this.grid, 'aria-rowcount', count + (this.options.head ? 1 : 0));
    this.active = clamp(this.active, 0, Math.max(0, count - 1));
    this.layout();
  }

  layout() {
    const { rowHeight } = this.options;
    const { rows, size } = this.#range();
    const height = `${Math.max(size, 1)}px`;
    if (this.sizer.style.height !== height) this.sizer.style.height = height;
    if (!this.height) {
      this.hidden = true;
      return;
    }
    if (this.hidden) {
      this.hidden = false;
      this.#scroll(this.place); // a browser forgets the place of a list that is not shown
      if (this.late) return this.reveal(...this.late);
    }
    const need = Math.min(this.count, Math.ceil(rows) + 2);
    while (this.pool.length < Math.min(need, Math.ceil(rows) + 2)) this.#grow();
    const first = this.first();
    const begin = clamp(Math.floor(first), 0, Math.max(0, this.count - need));
    const top = this.scroller.scrollTop;
    if (this.height === this.tall) this.inSight = this.active > first - 1 && this.active < first + rows;
    const stop = this.active >= begin && this.active < begin + need ? this.active : begin;
    this.begin = begin;
    this.place = first;
    this.shown = need;
    for (const row of this.pool) row.used = false;
    for (let index = begin; index < begin + need; index++) {
      const row = this.pool[index % this.pool.length];
      row.used = true;
      row.node.style.transform = `translateY(${top + (index - first) * rowHeight}px)`;
      attribute(row.node, 'data-index', index);
      attribute(row.node, 'aria-rowindex', index + (this.options.head ? 2 : 1));
      attribute(row.node, 'tabindex', index === stop ? 0 : -1);
      this.options.draw(row.node, index);
    }
    for (const row of this.pool) {
      if (row.node.hidden === row.used) row.node.hidden = !row.used;
    }
    this.#printed(); // a print cannot wait
  }

  // printed returns the rows that a print has, of those that are there: from one index to before another.
  #printed() {
    const { has = () => true } = this.options;
    const place = clamp(Math.floor(this.place), 0, this.count);
    const begin = Math.min(place, Math.max(0, this.count - PRINTED));
    const end = Math.min(this.count, begin + PRINTED);
    let [from, to] = [place, place];
    while (to < end && has(to)) to++;
    while (from > begin && has(from - 1)) from--;
    return [from, to];
  }

  // paper makes the rows of a print, and a line that tells which these are.
  #paper() {
    const { label, make, draw } = this.options;
    const [from, to] = this.#printed();
    const nodes = Array.from({ length: to - from }, make);
    nodes.forEach((node, i) => draw(node, from + i));
    return to === from ? [] : [...nodes, el('p', null, `${label} ${number(from + 1)} to ${number(to)} of ${number(this.count)}`)];
  }

  #grow() {
    const node = this.options.make();
    node.style.height = `${this.options.rowHeight}px`;
    this.pool.push({ node, used: false });
    this.sizer.append(node);
  }

  // reveal scrolls so that a row is visible, at the upper edge if asked.
  reveal(index, edge = false) {
    this.late = this.height ? null : [index, edge];
    if (this.late) return;
    const { rows } = this.#range();
    const first = this.first();
    let goal = first;
    if (edge || index < first) goal = index;
    else if (index > first + rows - 1) goal = index - rows + 1;
    if (goal !== first) this.#scroll(goal);
    this.inSight = this.active > goal - 1 && this.active < goal + rows; // also if the height has just changed
    this.layout();
  }

  #scroll(index) {
    const { last, pixels } = this.#range();
    if (last) this.scroller.scrollTop = (clamp(index, 0, last) / last) * pixels;
  }

  // atEnd reports whether the last row is visible.
  atEnd() {
    const { last } = this.#range();
    return this.first() >= last - 0.5;
  }

  move(index) {
    if (!this.count) return;
    this.active = clamp(index, 0, this.count - 1);
    this.reveal(this.active);
    this.pool[this.active % this.pool.length]?.node.focus({ preventScroll: true });
    this.options.moved?.(this.active);
  }

  choose(index) {
    this.active = index;
    this.layout();
    this.pool[index % this.pool.length]?.node.focus({ preventScroll: true });
    this.options.activate(index);
  }

  #key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const index = Number(e.target.closest('[data-index]')?.dataset.index ?? this.active);
    const page = Math.max(1, Math.floor(this.#range().rows) - 1);
    const goals = { ArrowDown: index + 1, ArrowUp: index - 1, PageDown: index + page, PageUp: index - page, Home: 0, End: this.count - 1 };
    if (e.key in goals) this.move(goals[e.key]);
    else if (e.key === 'Enter' || e.key === ' ') this.choose(index);
    else return;
    e.preventDefault();
    e.stopPropagation();
  }

  // The wheel moves by rows in a list that is too long for its scroll bar.
  #wheel(e) {
    if (this.#range().size < TALLEST) return;
    e.preventDefault();
    const rows = e.deltaMode ? e.deltaY : e.deltaY / this.options.rowHeight;
    this.#scroll(this.first() + rows);
  }
}
