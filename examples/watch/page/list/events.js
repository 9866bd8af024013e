// The list of events, with filters by kind and player. A click seeks.

import { seek } from '../playback/clock.js';
import { $, attribute, el, foreign, toggle, write } from '../dom.js';
import { chosen, options } from './filters.js';
import { clock } from '../format.js';
import { eventText, log, otherOf, whoOf, words } from '../backend/log.js';
import { tint } from '../palette.js';
import { app, on } from '../state.js';
import { VirtualList } from './virtual.js';

const GROUPS = {
  chat: ['chat', 'teamchat'],
  kills: ['kill', 'death'],
  joins: ['join', 'leave', 'rename'],
  score: ['score'],
  ships: ['collision', 'cloak'],
  system: ['system', 'end'],
};
const ICONS = { chat: '“', teamchat: '“', kill: '◆', death: '◆', join: '▲', leave: '▼', rename: '▲', score: '#', collision: '✶', cloak: '◌', system: '•', end: '■' };

const empty = $('#events-empty');
let visible = [];
let list = null;
let latest = -1; // the index of the last event up to now

function make() {
  const parts = {
    time: el('span', { class: 'event-time', role: 'gridcell' }),
    icon: el('span', { class: 'event-icon', 'aria-hidden': 'true' }),
    text: el('span', { class: 'event-text' }),
  };
  const node = el('div', { class: 'event-row', role: 'row' }, parts.time, el('span', { class: 'event-cell', role: 'gridcell' }, parts.icon, parts.text));
  node.parts = parts;
  return node;
}

function draw(node, index) {
  const event = visible[index];
  if (!event) return;
  toggle(node, 'past', event.t <= app.time);
  toggle(node, 'latest', index === latest);
  if (node.event === event) return paint(node);
  node.event = event;
  write(node.parts.time, clock(event.t));
  write(node.parts.icon, ICONS[event.kind] ?? '•');
  attribute(node, 'data-kind', event.kind);
  attribute(node, 'title', eventText(event));
  node.parts.text.replaceChildren(...pieces(event));
  paint(node);
}

// paint gives the names the colours of the players, which may have become known later.
function paint(node) {
  for (const name of node.querySelectorAll('.event-player')) tint(name, name.player);
}

const FEED = 8; // seconds that a kill stays over the map

// feed shows the last kills over the map.
function feed() {
  const last = log.events.filter(({ kind, t }) => GROUPS.kills.includes(kind) && t <= app.time && t > app.time - FEED).slice(-4);
  const key = last.map(({ n }) => n).join();
  const host = $('#feed');
  if (host.dataset.key === key) return;
  host.dataset.key = key;
  host.replaceChildren(...last.map((event) => el('li', null, ...pieces(event))));
  paint(host);
}

// pieces tells an event in elements, so that each text of the match is isolated.
const pieces = (event) => words(event).map((word) => {
  if (word.text === undefined) return word;
  const node = foreign(word.text, word.player === undefined ? '' : 'event-player');
  node.player = word.player;
  return node;
});

function filter() {
  const kinds = GROUPS[chosen.kind];
  const { player: name } = chosen;
  const end = list.atEnd();
  visible = log.events.filter((event) => (!kinds || kinds.includes(event.kind)) &&
    (!name || whoOf(event) === name || otherOf(event) === name));
  for (const { node } of list.pool) node.event = null;
  list.setCount(visible.length);
  latest = -2;
  follow(true);
  if (app.live && end) list.reveal(visible.length - 1);
  empty.hidden = visible.length > 0;
  write(empty, log.events.length ? 'No event matches the filters.' : 'No events yet.');
}

// players keeps the filter in step with the names in the events.
function players() {
  const names = [...new Set(log.events.flatMap((event) => [event.player, event.otherPlayer]).filter(Boolean))].slice(0, 200);
  options($('#event-player'), names.map((name) => [name, name.slice(0, 60)]));
}

// follow marks the event that happened last, and keeps it in sight while the match plays.
function follow(scroll = app.playing) {
  let low = 0;
  let high = visible.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (visible[middle].t <= app.time) low = middle + 1;
    else high = middle;
  }
  if (low - 1 === latest) return;
  latest = low - 1;
  if (scroll && latest >= 0 && !list.grid.contains(document.activeElement)) list.reveal(latest);
  else list.layout();
}

export function start() {
  list = new VirtualList({
    host: $('#event-list'), label: 'Events', rowHeight: 26, columns: 2, make, draw,
    activate: (index) => visible[index] && seek(visible[index].t),
  });
  on('filter', filter);
  on('events', () => {
    players();
    filter();
  });
  on('time', () => follow(true));
  on('time events', feed);
  on('view layout theme', () => list.layout());
  filter();
}
