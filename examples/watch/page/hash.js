// The address has the place in the match: #t=…&m=…&ship=…&view=…&link=…, the filters, and the name
// of an opened file as match=…, if ?file=… does not have it. Back returns to the view before.

import { LOCAL } from './backend/backend.js';
import { bounds, seek } from './playback/clock.js';
import { $, debounced, throttled } from './dom.js';
import { choose, chosen } from './list/filters.js';
import { app, emit, on, set } from './state.js';
import { VIEWS } from './tabs.js';

const LONGEST = 1000; // letters of a filter

let written = '';
let shown = null; // the view of this step of the history
let waits = true; // the address is of what the page does not show yet

function write() {
  if (waits || !app.info?.links.length || $('#views').hidden) return;
  const query = new URLSearchParams();
  if (LOCAL && !new URLSearchParams(location.search).has('file')) query.set('match', app.info.title);
  if (!app.live) query.set('t', app.time.toFixed(3));
  if (app.message !== null) query.set('m', app.message);
  if (app.selected) query.set('ship', app.selected);
  query.set('view', app.view);
  if (app.link !== app.info.link) query.set('link', app.link);
  for (const [key, value] of Object.entries(chosen)) {
    if (value) query.set(key, value);
  }
  const hash = `#${query}`;
  if (hash === written) return;
  written = hash;
  if (shown !== null && shown !== app.view) history.pushState(null, '', hash);
  else history.replaceState(null, '', hash);
  shown = app.view;
}

// seconds reads a time: 62.5, or 1:02.5 as the report and the page show it.
function seconds(text) {
  return /^-?(\d+:){0,2}\d+(\.\d+)?$/.test(text) ? text.split(':').reduce((sum, part) => 60 * sum + Number(part), 0) : null;
}

// read returns what the address asks for. Values that make no sense are left out.
export function read() {
  const query = new URLSearchParams(location.hash.slice(1));
  const number = (key) => (/^-?\d+(\.\d+)?$/.test(query.get(key) ?? '') ? Number(query.get(key)) : null);
  const ship = query.get('ship');
  const view = query.get('view');
  return {
    time: seconds(query.get('t') ?? ''),
    message: number('m'),
    ship: /^0x[0-9a-f]{1,8}$/i.test(ship ?? '') ? ship.toLowerCase() : null,
    view: VIEWS.includes(view) ? view : null,
    link: number('link'),
    filters: Object.fromEntries(Object.keys(chosen).map((key) => [key, (query.get(key) ?? '').slice(0, LONGEST)])),
  };
}

// elsewhere reports whether the address is about another file than the one that is shown.
function elsewhere() {
  const match = new URLSearchParams(location.hash.slice(1)).get('match');
  return match !== null && match !== app.info.title;
}

// leave prepares for the match of another file. An address about the match that is left has no meaning there.
export function leave() {
  waits = true;
  if (!elsewhere()) history.replaceState(null, '', location.pathname + location.search);
}

// restore applies the address and reports whether it has a time. It resolves when the world is there.
export async function restore(changeLink) {
  try {
    return await apply(changeLink);
  } finally {
    waits = false;
  }
}

async function apply(changeLink) {
  const wanted = read();
  written = location.hash;
  const linked = () => wanted.link === null || app.info.links.some((l) => l.link === wanted.link);
  choose(wanted.filters);
  if (wanted.ship) set('selected', wanted.ship, 'select');
  if (wanted.view) set('view', wanted.view);
  shown = app.view;
  // A recording that still loads may not have the time, the message or the link yet.
  const before = app.time;
  while (app.info.loading && (wanted.time > app.info.end || wanted.message >= app.info.first + app.info.messages || !linked())) {
    await new Promise((done) => setTimeout(done, 100));
    if (app.time !== before) return true; // somebody has sought
  }
  if (wanted.link !== null && linked()) await changeLink(wanted.link);
  if (wanted.message !== null) set('message', wanted.message);
  if (wanted.time === null) return false;
  await seek(Math.min(wanted.time, bounds()[1]));
  emit('restored');
  return true;
}

export function start(changeLink) {
  const soon = debounced(write, 300);
  on('select view message link live play filter', soon);
  const playing = throttled(write, 2000);
  on('time', () => (app.playing ? playing() : soon()));
  window.addEventListener('hashchange', () => {
    if (location.hash !== written && app.info && !$('#views').hidden && !waits && !elsewhere()) restore(changeLink);
  });
}
