// The list of ships and players. Arrow keys move in it; the selected ship is shown in detail.

import { $, attribute, el, foreign, throttled, toggle, write } from '../dom.js';
import { level, percent } from '../format.js';
import { tint } from '../palette.js';
import { app, on, set } from '../state.js';
import { hull, shields, world } from '../backend/world.js';

const list = $('#ship-list');
const head = $('#ship-head');
const empty = $('#ships-empty');
const absent = $('#absent');
const rows = new Map(); // by the key of a ship

function meter(name) {
  const fill = el('span', { class: 'fill' });
  return { node: el('span', { class: `meter ${name}` }, fill), fill };
}

function make(ship) {
  const name = foreign('', 'ship-name');
  const kind = el('span', { class: 'ship-class' });
  const status = el('span', { class: 'status' });
  const score = el('span', { class: 'score' });
  const speed = el('span', { class: 'speed' });
  const s = meter('shield-meter');
  const h = meter('hull-meter');
  const words = el('span', { class: 'hidden' });
  const node = el('div', { class: 'ship-row', role: 'option', tabindex: '-1', 'data-id': ship.id },
    el('span', { class: 'swatch' }), el('span', { class: 'ship-title' }, name, kind), status, score, speed,
    el('span', { class: 'meters', 'aria-hidden': 'true' }, s.node, h.node), words);
  return { node, name, kind, status, score, speed, s, h, words };
}

function bar({ fill, node }, fraction) {
  fill.style.transform = `scaleX(${(fraction ?? 0).toFixed(3)})`;
  attribute(node, 'data-level', level(fraction));
}

function show(row, ship, detail) {
  const player = world.players.get(ship.peer);
  tint(row.node, ship.name);
  write(row.name, ship.name || ship.class || ship.id);
  write(row.kind, kindOf(ship));
  const status = ship.life === 'dying' ? 'destroyed' : ship.life === 'unknown' ? 'unknown' : ship.cloaked ? 'cloaked' : '';
  write(row.status, status);
  attribute(row.status, 'data-status', status);
  write(row.score, player ? `${player.kills}/${player.deaths}` : '');
  write(row.speed, ship.speed == null ? '' : ship.speed.toFixed(1));
  bar(row.s, shields(ship));
  bar(row.h, hull(ship));
  write(row.words, `, shields ${known(shields(ship))}, hull ${known(hull(ship))}`);
  const selected = ship === detail;
  attribute(row.node, 'aria-selected', selected);
  toggle(row.node, 'followed', ship.id === app.follow);
}

const known = (fraction) => (fraction == null ? 'unknown' : percent(fraction));

function update() {
  if (!list.offsetParent && !empty.offsetParent) return;
  const ships = sorted();
  const detail = shownShip();
  const seen = new Set();
  let place = list.firstElementChild;
  for (const ship of ships) {
    let row = rows.get(ship.key);
    if (!row) rows.set(ship.key, (row = make(ship)));
    seen.add(ship.key);
    show(row, ship, detail);
    if (row.node === place) place = place.nextElementSibling;
    else list.insertBefore(row.node, place);
  }
  for (const [key, row] of rows) {
    if (seen.has(key)) continue;
    row.node.remove();
    rows.delete(key);
  }
  head.hidden = list.hidden = ships.length === 0;
  empty.hidden = ships.length > 0;
  rove(detail);
  waiting();
}

// sorted returns the ships of players by slot, then the others.
function sorted() {
  return [...world.ships.values()].sort((a, b) => Number(!a.name) - Number(!b.name) || (a.slot ?? 99) - (b.slot ?? 99) || (a.id < b.id ? -1 : 1));
}

// shownShip returns the ship that is shown in detail: the selected one. The view of the ships is never empty.
export function shownShip() {
  if (app.selected || app.view !== 'ships') return world.ships.get(app.selected);
  return sorted()[0];
}

// kindOf returns the class of a ship and its team, below the name of the player.
export function kindOf(ship) {
  const team = ship.team == null ? '' : `team ${ship.team + 1}`;
  return [ship.name && (ship.class ?? 'unknown class'), team].filter(Boolean).join(' · ');
}

// rove keeps one row of the list in the order of the tab key.
function rove(detail) {
  const nodes = [...list.children];
  const stop = nodes.find((node) => node.dataset.id === detail?.id) ?? nodes[0];
  for (const node of nodes) attribute(node, 'tabindex', node === stop ? 0 : -1);
}

// waiting lists the players without a ship.
function waiting() {
  const flying = new Set([...world.ships.values()].map((ship) => ship.peer));
  const players = [...world.players.values()].filter((player) => player.here && !flying.has(player.peer) && player.name);
  const key = players.map((player) => `${player.peer}${player.name}`).join('\n');
  if (absent.dataset.key === key) return;
  absent.dataset.key = key;
  absent.replaceChildren(...players.map((player) => el('li', null, foreign(player.name), ' has no ship')));
  absent.hidden = players.length === 0;
}

export function select(id) {
  set('selected', id, 'select');
}

// step selects the next or previous ship.
export function step(direction) {
  const ids = sorted().map((ship) => ship.id);
  if (!ids.length) return;
  const i = ids.indexOf(app.selected);
  select(ids[i < 0 ? (direction > 0 ? 0 : ids.length - 1) : (i + direction + ids.length) % ids.length]);
}

function key(e) {
  const moves = { ArrowDown: 1, ArrowUp: -1 };
  const ids = [...list.children].map((node) => node.dataset.id);
  if (moves[e.key]) step(moves[e.key]);
  else if (e.key === 'Home') select(ids[0]);
  else if (e.key === 'End') select(ids.at(-1));
  else if (e.key === 'Enter' || e.key === ' ') select(e.target.dataset.id ?? null);
  else return;
  e.preventDefault();
  e.stopPropagation();
  list.querySelector(`[data-id="${app.selected}"]`)?.focus();
}

export function start() {
  const slow = throttled(update, 125);
  on('world', (cause) => (cause === 'seek' ? update() : slow()));
  on('select follow theme view layout', update);
  // The detail that appears takes room from the list.
  on('select view', () => requestAnimationFrame(() => list.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })));
  list.addEventListener('click', (e) => {
    const row = e.target.closest('.ship-row');
    if (row) select(row.dataset.id);
  });
  list.addEventListener('keydown', key);
}
