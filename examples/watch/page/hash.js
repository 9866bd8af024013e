// The address has the place in the match: #t=…&m=…&ship=…&view=…&link=…

import { bounds, seek } from './clock.js';
import { debounced, throttled } from './dom.js';
import { app, on, set } from './state.js';
import { VIEWS } from './tabs.js';

let written = '';

function write() {
  if (!app.info?.links.length) return;
  const query = new URLSearchParams();
  if (!app.live) query.set('t', app.time.toFixed(3));
  if (app.message !== null) query.set('m', app.message);
  if (app.selected) query.set('ship', app.selected);
  query.set('view', app.view);
  if (app.link !== app.info.link) query.set('link', app.link);
  const hash = `#${query}`;
  if (hash === written) return;
  written = hash;
  history.replaceState(null, '', hash);
}

// read returns what the address asks for. Values that make no sense are left out.
export function read() {
  const query = new URLSearchParams(location.hash.slice(1));
  const number = (key) => (/^-?\d+(\.\d+)?$/.test(query.get(key) ?? '') ? Number(query.get(key)) : null);
  const ship = query.get('ship');
  const view = query.get('view');
  return {
    time: number('t'),
    message: number('m'),
    ship: /^0x[0-9a-f]{1,8}$/i.test(ship ?? '') ? ship.toLowerCase() : null,
    view: VIEWS.includes(view) ? view : null,
    link: number('link'),
  };
}

// restore applies the address. It resolves when the world is there.
export async function restore(changeLink) {
  const wanted = read();
  written = location.hash;
  if (wanted.link !== null && wanted.link !== app.link && app.info.links.some((l) => l.link === wanted.link)) await changeLink(wanted.link);
  if (wanted.ship) set('selected', wanted.ship, 'select');
  if (wanted.view) set('view', wanted.view);
  if (wanted.message !== null) set('message', wanted.message);
  if (wanted.time === null) return false;
  // A recording that still loads may not have the time yet.
  const before = app.time;
  while (app.info.loading && wanted.time > app.info.end) {
    await new Promise((done) => setTimeout(done, 100));
    if (app.time !== before) return true; // somebody has sought
  }
  await seek(Math.min(wanted.time, bounds()[1]));
  return true;
}

export function start(changeLink) {
  const soon = debounced(write, 300);
  on('select view message link live play', soon);
  const playing = throttled(write, 2000);
  on('time', () => (app.playing ? playing() : soon()));
  window.addEventListener('hashchange', () => {
    if (location.hash !== written && app.info) restore(changeLink);
  });
}
