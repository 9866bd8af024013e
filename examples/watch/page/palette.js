// Colours. The style sheet has them for both themes; a canvas needs their values.

import { on } from './state.js';

const NAMES = ['bg', 'map', 'grid', 'grid-strong', 'text', 'dim', 'line', 'accent', 'good', 'fair', 'poor', 'shield', 'spark', 'halo', 'unknown'];
const PLAYERS = 16;

export const colours = { players: [] };

const slots = new Map(); // of the peers that had one

export function read() {
  const style = getComputedStyle(document.documentElement);
  for (const name of NAMES) colours[name] = style.getPropertyValue(`--${name}`).trim();
  for (let i = 0; i < PLAYERS; i++) colours.players[i] = style.getPropertyValue(`--p${i}`).trim();
  colours.version = (colours.version ?? 0) + 1;
}

// slotOf returns the index of the colour of a player or ship, or -1. In a team match, a team has
// one colour.
export function slotOf(owner) {
  if (!owner) return -1;
  if (owner.slot != null && owner.peer != null) slots.set(owner.peer, owner.slot);
  if (owner.team != null && owner.team >= 0 && owner.team < PLAYERS) return owner.team;
  if (owner.slot != null && owner.slot >= 0) return owner.slot % PLAYERS;
  return slots.get(owner.peer) ?? (owner.peer > 1 ? (owner.peer - 2) % PLAYERS : -1);
}

export function canvasColour(owner) {
  const slot = slotOf(owner);
  return slot < 0 ? colours.unknown : colours.players[slot];
}

// tint gives an element the colour of a player or ship as the variable --own.
export function tint(node, owner) {
  const slot = slotOf(owner);
  const value = slot < 0 ? 'var(--unknown)' : `var(--p${slot})`;
  if (node.style.getPropertyValue('--own') !== value) node.style.setProperty('--own', value);
}

// series returns the colour of the i-th line of a plot.
export const series = (i) => `var(--p${i % PLAYERS})`;

on('theme', read);
