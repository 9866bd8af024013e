// The selected ship: shields, subsystems, batteries, and hull and shields over time.

import { get } from '../backend/api.js';
import { seek } from '../playback/clock.js';
import { $, attribute, debounced, el, foreign, throttled, toggle, write } from '../dom.js';
import { level, percent, vector } from '../format.js';
import { tint } from '../palette.js';
import { Plot } from '../report/plot.js';
import { follow } from '../map/radarinput.js';
import { FACES, Shields } from './shields.js';
import { kindOf, shownShip } from './ships.js';
import { app, on } from '../state.js';
import { targetOf } from '../map/scene.js';
import { hull, stateOf, world } from '../backend/world.js';

const host = $('#ship-detail');
const hint = $('#ship-hint');
let shown = null; // the parts of the panel, for one key

function build(ship) {
  const d = { key: ship.key, systems: ship.systems.length, shields: new Shields(), rows: [] };
  d.name = foreign('', 'detail-name');
  d.kind = el('span', { class: 'detail-class' });
  d.facts = el('dl', { class: 'facts' });
  d.values = ['Position', 'Speed', 'Target', 'System', 'ID'].map((name) => {
    const value = el('dd');
    d.facts.append(el('div', null, el('dt', null, name), value));
    return value;
  });
  for (const i of [2, 3]) d.values[i].setAttribute('dir', 'auto');
  d.follow = el('button', { type: 'button', class: 'small', 'aria-pressed': 'false', click: () => follow(ship.id) }, 'Follow');
  d.body = el('tbody');
  ship.systems.forEach((system, i) => d.body.append(systemRow(d, system, i)));
  const unknown = ship.systems.length === 0;
  d.stale = el('p', { class: 'stale', hidden: true });
  d.plot = new Plot({ title: 'Hull and shields', unit: 'percent', height: 120, most: 1, steps: true, format: percent, seek, until: () => app.time });
  d.node = el('article', { class: 'detail' },
    el('header', { class: 'detail-head' }, el('span', { class: 'swatch' }), el('h3', null, d.name, d.kind), d.follow),
    el('div', { class: 'detail-state' }, d.shields.node, d.facts, d.stale),
    unknown
      ? el('p', { class: 'empty' }, 'The class of this ship is unknown, so its subsystems have no names.')
      : el('table', { class: 'systems' },
          el('thead', null, el('tr', null, ...['Subsystem', 'Condition', 'Parts', 'Power'].map((text) => el('th', { scope: 'col' }, text)))),
          d.body),
    d.plot.node);
  return d;
}

// systemRow makes the row of a subsystem. Its parts are pips.
function systemRow(d, system, i) {
  const fill = el('span', { class: 'fill' });
  const row = {
    i,
    kind: system.kind,
    meter: el('span', { class: 'meter', 'aria-hidden': 'true' }, fill),
    fill,
    text: el('span', { class: 'value' }),
    power: el('td', { class: 'power' }),
    battery: system.kind === 'reactor' ? el('td', { class: 'battery', colspan: 2 }) : null,
    pips: [],
  };
  const parts = el('button', { type: 'button', class: 'pips', 'aria-expanded': 'false' });
  parts.addEventListener('click', () => attribute(parts, 'aria-expanded', parts.getAttribute('aria-expanded') === 'false'));
  row.parts = parts;
  if (system.kind !== 'shield') {
    for (const name of system.parts) {
      const value = el('span', { class: 'value' });
      const pip = el('span', { class: 'part' }, el('span', { class: 'pip' }), el('span', { class: 'part-name' }, name), value);
      row.pips.push({ node: pip, name, value });
      parts.append(pip);
    }
  }
  row.node = el('tr', { 'data-system': system.name },
    el('th', { scope: 'row' }, system.name),
    el('td', { class: 'condition' }, row.meter, row.text),
    ...(row.battery ? [row.battery] : [el('td', null, row.pips.length ? parts : ''), row.power]));
  d.rows.push(row);
  return row.node;
}

function power(state, kind) {
  if (state.on === false) return 'off';
  if (state.power == null) return kind === 'shield' ? 'unknown' : '';
  return `${state.power} %`;
}

// staleText names the subsystems whose bars may be stale, by reason.
function staleText(ship) {
  const reasons = new Map();
  for (const { i, stale } of ship.state) {
    if (stale) reasons.set(stale, [...(reasons.get(stale) ?? []), ship.systems[i]?.name]);
  }
  const words = [...reasons].map(([reason, names]) => `Bars with ? may be stale: ${reason} (${names.join(', ')}).`);
  const shield = stateOf(ship, 'shield');
  if (shield && !shield.facings) words.push('The shields are unknown: this server sends neither their facings nor their power.');
  return words.join(' ');
}

function update() {
  const ship = shownShip();
  hint.hidden = Boolean(ship);
  host.hidden = !ship;
  if (!ship) {
    write(hint, app.selected ? 'The selected ship is not there at this time.' : app.view === 'ships' ? 'There is no ship at this time.' : 'Select a ship in the list or on the map to see its systems.');
    return;
  }
  if (shown?.key !== ship.key || shown.systems !== ship.systems.length) {
    const same = shown?.key === ship.key;
    shown?.plot.remove();
    shown = build(ship);
    host.replaceChildren(shown.node);
    if (!same) points = null;
    refresh();
  }
  if (host.offsetParent) show(shown, ship);
}

// target tells at whom a ship has fired last, and how far that ship is.
function target(ship) {
  const other = [...world.ships.values()].find(({ key }) => key === targetOf(ship.key, app.time));
  if (!other?.position || !ship.position) return '–';
  return `${other.name || other.class || other.id}, ${Math.hypot(...ship.position.map((x, i) => x - other.position[i])).toFixed(0)} units`;
}

function show(d, ship) {
  tint(d.node, ship.name);
  write(d.name, ship.name || ship.class || ship.id);
  write(d.kind, `${kindOf(ship)}${ship.life === 'alive' ? '' : ` · ${ship.life === 'dying' ? 'destroyed' : 'unknown'}`}${ship.cloaked ? ' · cloaked' : ''}`);
  [vector(ship.position), ship.speed == null ? '–' : ship.speed.toFixed(1), target(ship), ship.set || '–', ship.id].forEach((text, i) => write(d.values[i], text));
  attribute(d.follow, 'aria-pressed', app.follow === ship.id);
  d.shields.update(ship.class, stateOf(ship, 'shield')?.facings, hull(ship));
  for (const row of d.rows) {
    const state = ship.state[row.i];
    if (!state) continue;
    row.fill.style.transform = `scaleX(${(state.condition ?? 0).toFixed(3)})`;
    attribute(row.meter, 'data-level', level(state.condition));
    write(row.text, `${percent(state.condition)}${state.stale ? ' ?' : ''}`);
    write(row.power, power(state, row.kind));
    toggle(row.node, 'off', state.on === false);
    toggle(row.node, 'dead', state.condition === 0);
    if (row.battery) write(row.battery, `main ${percent(state.main)} · backup ${percent(state.backup)}`);
    row.pips.forEach((pip, k) => {
      const value = state.parts?.[k] ?? null;
      attribute(pip.node, 'data-level', level(value));
      write(pip.value, percent(value));
    });
    if (row.pips.length) attribute(row.parts, 'aria-label', `Parts: ${row.pips.map(({ name, value }) => `${name} ${value.textContent}`).join(', ')}`);
  }
  const stale = staleText(ship);
  write(d.stale, stale);
  d.stale.hidden = !stale;
  const facings = stateOf(ship, 'shield')?.facings ?? [];
  d.plot.move(app.time, [hull(ship), ...FACES.map((_, i) => facings[i])]);
}

let points = null;

// refresh requests the history of the selected ship.
const refresh = debounced(async () => {
  const d = shown;
  if (!d || shownShip()?.key !== d.key) return;
  try {
    const answer = await get('plot', { link: app.link, key: d.key });
    if (d !== shown) return;
    points = answer.points;
    const column = (i) => points.map((p) => (p[i] < 0 ? null : p[i] / 255));
    d.plot.show({
      x: points.map(([t]) => t),
      series: [{ name: 'Hull', values: column(1), colour: 'var(--good)' },
        ...FACES.map((name, i) => ({ name, values: column(2 + i), colour: `var(--face${i})`, dim: true }))],
    });
    update();
  } catch {
    // The plot stays as it is; the banner tells that the program is gone.
  }
}, 60);

export function start() {
  const slow = throttled(update, 125);
  const renew = throttled(refresh, 4000);
  on('world', (cause) => {
    if (cause === 'seek') update();
    else slow();
    if (cause === 'live') renew();
  });
  on('select follow view theme layout', update);
  on('window', slow); // which may have the last shot
  on('info', renew);
}
