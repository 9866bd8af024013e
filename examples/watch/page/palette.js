// Colours. The style sheet has them for both themes; a canvas needs their values.

import { log } from './backend/log.js';
import { app, emit, on } from './state.js';

const NAMES = ['bg', 'map', 'grid', 'grid-strong', 'text', 'dim', 'line', 'accent', 'good', 'fair', 'poor', 'shield', 'spark', 'halo', 'unknown'];
const PLAYERS = 32;

export const colours = { players: [] };

const order = new Map(); // of the players, by their names

export function read() {
  const style = getComputedStyle(document.documentElement);
  for (const name of NAMES) colours[name] = style.getPropertyValue(`--${name}`).trim();
  for (let i = 0; i < PLAYERS; i++) colours.players[i] = style.getPropertyValue(`--p${i}`).trim();
  colours.version = (colours.version ?? 0) + 1;
}

// meet gives colours to players in the order in which they are named: first by the links, then by
// the events. A player keeps the colour everywhere, and also after joining again.
function meet() {
  const before = order.size;
  for (const { player } of app.info?.links ?? []) place(player);
  for (const { kind, player, otherPlayer, text } of log.events) {
    if (kind === 'rename' && order.has(text) && !order.has(player)) order.set(player, order.get(text));
    place(player);
    place(otherPlayer);
  }
  if (order.size !== before) emit('theme', app.theme);
}

function place(name) {
  if (name && !order.has(name)) order.set(name, order.size % PLAYERS);
}

// slotOf returns the index of the colour of a player, or -1.
const slotOf = (name) => order.get(name) ?? -1;

export const canvasColour = (name) => colours.players[slotOf(name)] ?? colours.unknown;

export const own = (name) => (order.has(name) ? series(slotOf(name)) : 'var(--unknown)');

// tint gives an element the colour of a player as the variable --own.
export function tint(node, name) {
  const value = own(name);
  if (node.style.getPropertyValue('--own') !== value) node.style.setProperty('--own', value);
}

// series returns the colour of the i-th line of a plot.
export const series = (i) => `var(--p${i % PLAYERS})`;

on('theme', read);
on('info events', meet);
on('restart', () => {
  order.clear();
  meet();
});
