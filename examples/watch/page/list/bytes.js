// The bytes of a message beside its fields. Pointing at a field marks its bytes, and pointing at a
// byte marks its fields. The bytes are a grid in which arrow keys move.

import { attribute, el, foreign } from '../dom.js';

const WIDTH = 16;
const MOST = 8192; // bytes that are shown

export class Bytes {
  // title names the part of the message; hex are its bytes and spans its fields.
  constructor(title, hex, spans) {
    this.spans = spans;
    this.size = hex.length / 2;
    const shown = Math.min(this.size, MOST);
    this.cells = [];
    this.letters = [];
    this.fields = spans.map((span, i) => this.#field(span, i));
    const covered = new Set();
    for (const span of spans) {
      for (let i = 0; i < span.size; i++) covered.add(span.offset + i);
    }
    const lines = [];
    for (let at = 0; at < shown; at += WIDTH) lines.push(this.#line(hex, at, Math.min(at + WIDTH, shown), covered));
    this.grid = el('div', { class: 'hex', role: 'grid', 'aria-label': `Bytes of the ${title}` }, ...lines);
    this.table = el('table', { class: 'fields' },
      el('thead', null, el('tr', null, ...['Offset', 'Field', 'Value'].map((text) => el('th', { scope: 'col' }, text)))),
      el('tbody', null, ...this.fields));
    const note = this.size > shown ? el('p', { class: 'empty' }, `The first ${shown} of ${this.size} bytes.`) : null;
    this.node = el('div', { class: 'bytes-pair' },
      el('div', { class: 'fields-box' }, this.table),
      el('div', { class: 'hex-box' }, el('h4', null, `${title}, ${this.size} bytes`), this.grid, note));
    this.#listen();
    if (this.cells.length) attribute(this.cells[0], 'tabindex', 0);
    if (this.fields.length) attribute(this.fields[0], 'tabindex', 0);
  }

  #field(span, i) {
    const value = span.error
      ? el('td', { class: 'field-error' }, el('span', { class: 'mark mark-error' }, 'error'), ' ', span.error)
      : el('td', null, foreign(span.text));
    if (span.bit >= 0 && !/\bbit \d/.test(span.text)) value.append(el('span', { class: 'bit' }, ` bit ${span.bit}`));
    return el('tr', { class: 'field', tabindex: '-1', 'data-field': i, 'data-offset': span.offset, 'data-size': span.size },
      el('td', { class: 'offset' }, span.offset.toString(16).padStart(4, '0')),
      el('th', { scope: 'row' }, span.path), value);
  }

  #line(hex, from, to, covered) {
    const bytes = [];
    for (let at = from; at < to; at++) {
      const pair = hex.slice(2 * at, 2 * at + 2);
      const cell = el('span', { class: `byte ${covered.has(at) ? '' : 'other'}`, role: 'gridcell', tabindex: '-1', 'data-at': at }, pair);
      this.cells.push(cell);
      bytes.push(cell);
      const code = parseInt(pair, 16);
      const text = code > 32 && code < 127 ? String.fromCharCode(code) : '·';
      this.letters.push(el('span', { class: covered.has(at) ? '' : 'other', 'data-at': at }, text));
    }
    return el('div', { class: 'hex-line', role: 'row' },
      el('span', { class: 'offset', role: 'rowheader' }, from.toString(16).padStart(4, '0')),
      el('span', { class: 'hex-bytes', role: 'presentation' }, ...bytes),
      el('span', { class: 'ascii', 'aria-hidden': 'true' }, ...this.letters.slice(from, to)));
  }

  #listen() {
    for (const type of ['mouseover', 'focusin']) {
      this.node.addEventListener(type, (e) => this.#point(e.target));
    }
    this.node.addEventListener('mouseleave', () => this.#point(document.activeElement));
    this.node.addEventListener('focusout', () => this.mark([], -1));
    this.node.addEventListener('keydown', (e) => this.#key(e));
  }

  #point(target) {
    if (!this.node.contains(target)) return this.mark([], -1);
    const row = target.closest('.field');
    if (row) return this.mark([Number(row.dataset.field)], -1);
    const cell = target.closest('[data-at]');
    if (cell) {
      const at = Number(cell.dataset.at);
      this.mark(this.fieldsAt(at), at);
    }
  }

  // fieldsAt returns the fields of a byte. Several packed bools can share one.
  fieldsAt(at) {
    return this.spans.flatMap((span, i) => (at >= span.offset && at < span.offset + span.size ? [i] : []));
  }

  // mark marks fields and their bytes.
  mark(fields, at) {
    for (const node of this.marked ?? []) node.classList.remove('on');
    this.marked = [];
    const add = (node) => {
      node?.classList.add('on');
      if (node) this.marked.push(node);
    };
    for (const i of fields) {
      add(this.fields[i]);
      const { offset, size } = this.spans[i];
      for (let k = offset; k < offset + size; k++) {
        add(this.cells[k]);
        add(this.letters[k]);
      }
    }
    if (at >= 0 && fields.length) this.fields[fields[0]].scrollIntoView({ block: 'nearest' });
    else if (fields.length) this.cells[this.spans[fields[0]].offset]?.scrollIntoView({ block: 'nearest' });
  }

  #key(e) {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    const cell = e.target.closest('.byte');
    const row = e.target.closest('.field');
    const list = cell ? this.cells : this.fields;
    const at = list.indexOf(cell ?? row);
    const line = cell ? WIDTH : 1;
    const goals = { ArrowDown: at + line, ArrowUp: at - line, Home: 0, End: list.length - 1 };
    if (cell) Object.assign(goals, { ArrowRight: at + 1, ArrowLeft: at - 1 });
    const next = list[goals[e.key]];
    if (at < 0 || !(e.key in goals)) return;
    e.preventDefault();
    e.stopPropagation();
    if (!next) return;
    attribute(list[at], 'tabindex', -1);
    attribute(next, 'tabindex', 0);
    next.focus();
  }
}
