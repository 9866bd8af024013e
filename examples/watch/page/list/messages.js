// The table of all messages.

import { $, attribute, el, throttled, toggle, write } from '../dom.js';
import { clear, filters, nameOf } from './filters.js';
import { clock, plural } from '../format.js';
import { tint } from '../palette.js';
import { Rows } from './rows.js';
import { app, on, set } from '../state.js';
import { VirtualList } from './virtual.js';

const COLUMNS = [['time', 'Time'], ['name', 'Message'], ['dir', 'Sender'], ['player', 'Player'], ['delivery', 'Delivery'], ['size', 'Bytes'], ['summary', 'Summary']];
const MARKS = { error: 'error', dialect: 'dialect', duplicate: 'repeated', fragment: 'fragment', note: 'note' };

let list = null;
const rows = new Rows(changed);
let began = false;
let applied = ''; // the filters of the rows
let anchor = null; // the time of the upper row before the last change of the filters

function make() {
  const node = el('div', { class: 'message-row', role: 'row' });
  node.cells = {};
  for (const [key] of COLUMNS) {
    node.cells[key] = el('span', { class: `c-${key}`, role: 'gridcell' });
    node.append(node.cells[key]);
  }
  node.name = el('span');
  node.marks = el('span', { class: 'marks' });
  node.cells.name.append(node.name, node.marks);
  node.player = el('bdi', { dir: 'auto' });
  node.cells.player.append(el('span', { class: 'swatch', 'aria-hidden': 'true' }), node.player);
  node.cells.summary.setAttribute('dir', 'auto');
  return node;
}

function draw(node, index) {
  const row = rows.at(index);
  toggle(node, 'pending', !row);
  const selected = row !== null && row.n === app.message;
  attribute(node, 'aria-selected', selected);
  if (node.row === row) return;
  node.row = row;
  const { cells } = node;
  if (!row) {
    for (const key of ['time', 'dir', 'delivery', 'size', 'summary']) write(cells[key], '');
    write(node.name, '…');
    write(node.player, '');
    node.marks.replaceChildren();
    return;
  }
  write(cells.time, clock(row.t, 3));
  const client = row.link ? nameOf(row.link) : row.client;
  write(cells.dir, row.dir === 'c2s' ? `${client} → server` : `server → ${client}`);
  attribute(cells.dir, 'title', row.client);
  attribute(cells.dir, 'data-dir', row.dir);
  write(node.player, row.player);
  toggle(cells.player, 'nobody', !row.player);
  tint(cells.player, row.player);
  write(cells.delivery, row.delivery);
  write(node.name, row.name || row.type);
  write(cells.size, row.size);
  write(cells.summary, row.error || (row.note ? `${row.summary} (${row.note})` : row.summary));
  toggle(node, 'bad', row.marks.includes('error'));
  node.marks.replaceChildren(...row.marks.map((mark) => el('span', { class: `mark mark-${mark}` }, MARKS[mark] ?? mark)));
}

function changed() {
  if (list.count !== rows.total) list.setCount(rows.total);
  else list.layout();
  write($('#message-total'), plural(rows.total, 'message') + (rows.loading ? ' …' : ''));
  const empty = $('#messages-empty');
  empty.hidden = rows.total > 0 || rows.loading;
  write(empty.firstElementChild, rows.error || 'No message matches the filters.');
  $('#messages-unfilter').hidden = Boolean(rows.error);
}

// refilter applies the filters. The list stays at the selected message, or else at its time.
async function refilter() {
  applied = JSON.stringify(filters());
  anchor = rows.at(Math.round(list.first()))?.t ?? anchor ?? app.time;
  rows.reset(filters());
  for (const { node } of list.pool) node.row = undefined;
  if (app.message === null || (await toMessage(app.message)) === -1) await toTime(anchor);
}

// toTime scrolls to the first message at a time, or to the end.
async function toTime(at = app.time) {
  const index = await rows.find({ at });
  if (index !== null) list.reveal(index < 0 ? rows.total - 1 : index, true);
}

// toMessage scrolls to a message and returns -1 if the filters do not let it through.
async function toMessage(n) {
  const index = await rows.find({ n });
  if (index === null || index < 0) return index;
  list.active = index;
  const first = list.first();
  const fits = list.height / 24;
  if (index < first || index > first + fits - 1) list.reveal(Math.max(0, index - Math.floor(fits / 2)), true);
  list.layout();
  return index;
}

function activate(index) {
  const row = rows.at(index);
  if (row) set('message', row.n);
}

function open() {
  if (app.view !== 'messages' || !app.info) return;
  if (!began) {
    began = true;
    refilter();
  }
  list.layout();
}

export function start() {
  const head = el('div', { class: 'message-row message-head', role: 'row', 'aria-rowindex': '1' },
    ...COLUMNS.map(([key, title]) => el('span', { class: `c-${key}`, role: 'columnheader' }, title)));
  list = new VirtualList({ host: $('#message-list'), label: 'Messages', rowHeight: 24, columns: COLUMNS.length, head, make, draw, activate, has: (index) => rows.at(index) !== null });
  on('filter', () => {
    if (began && JSON.stringify(filters()) !== applied) refilter();
  });
  on('restored', () => {
    if (began && app.message === null) toTime();
  });
  $('#messages-unfilter').addEventListener('click', clear);
  $('#to-time').addEventListener('click', () => toTime());
  const keep = throttled(() => toTime(), 700);
  on('time', () => {
    if (app.view === 'messages' && app.playing && $('#keep-time').checked) keep();
  });
  const grow = throttled(() => {
    if (began && app.view === 'messages') rows.grow();
  }, 1000);
  on('announce info', grow);
  on('restart', () => {
    began = false;
    anchor = null;
    open();
  });
  on('view info layout', open);
  on('message', (n) => {
    list.layout();
    if (n !== null && began && !list.grid.contains(document.activeElement)) toMessage(n);
  });
  on('theme', () => list.layout());
}
