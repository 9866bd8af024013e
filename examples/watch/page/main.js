// The start of the page: it asks what there is, and keeps asking while a recording loads.

import { get, health } from './api.js';
import * as banner from './banner.js';
import { outrun, seek } from './clock.js';
import * as controls from './controls.js';
import { $, attribute, el, foreign } from './dom.js';
import * as events from './events.js';
import { linkName } from './filters.js';
import * as hash from './hash.js';
import * as keys from './keys.js';
import { goLive, open, stream } from './live.js';
import * as log from './log.js';
import * as messages from './messages.js';
import * as message from './message.js';
import { tint } from './palette.js';
import * as radar from './radar.js';
import * as radarinput from './radarinput.js';
import * as shipdetail from './shipdetail.js';
import * as ships from './ships.js';
import { app, emit, errors, on, report } from './state.js';
import * as tabs from './tabs.js';
import * as theme from './theme.js';
import * as timeline from './timeline.js';
import * as traffic from './traffic.js';
import { SIZE, forget, indexOf, load } from './windows.js';
import { world } from './world.js';

const POLL = 250; // milliseconds, while a recording loads

let ready = false;

// state is the state of the page for tests: the world without interpolation.
function state() {
  return structuredClone({
    time: world.time,
    playing: app.playing,
    speed: app.speed,
    link: app.link,
    follow: app.follow,
    live: app.live,
    selectedShip: app.selected,
    ships: Object.fromEntries(world.ships),
    players: Object.fromEntries(world.players),
    events: log.log.events.length,
    message: app.message,
    theme: app.theme,
    view: app.view,
    frames: radar.frames.drawn,
    connected: !health.down && !stream.broken,
  });
}

window.watch = { get ready() { return ready; }, state, seek, errors };

window.addEventListener('error', (e) => errors.push(String(e.error?.stack ?? e.message)));
window.addEventListener('unhandledrejection', (e) => report(e.reason));
document.addEventListener('securitypolicyviolation', (e) => errors.push(`policy: ${e.violatedDirective} ${e.blockedURI}`));

// refresh asks for /api/info and announces it.
async function refresh() {
  const info = await get('info');
  const old = app.info;
  app.info = info;
  if (!old) app.link = info.link;
  // A program that was started again may have another recording, and a live match forgets links.
  const gone = info.links.length > 0 && old?.links.length > 0 && !info.links.some((l) => l.link === app.link);
  if (old && (gone || info.title !== old.title || info.start !== old.start || info.messages < old.messages)) again();
  emit('info', info);
  return info;
}

function again() {
  forget();
  outrun();
  if (!app.info.links.some((l) => l.link === app.link)) app.link = app.info.link;
  emit('restart');
  emit('link');
  if (!app.live) seek(app.time);
}

// changeLink sees the match as another client does.
async function changeLink(link) {
  if (link === app.link) return;
  app.link = link;
  forget();
  outrun();
  emit('link', link);
  if (app.info.live) open();
  if (!app.live) await seek(app.time);
}

function links() {
  const select = $('#link');
  const key = JSON.stringify(app.info.links.map((l) => [l.link, l.player]));
  if (select.dataset.key !== key) {
    select.dataset.key = key;
    select.replaceChildren(...app.info.links.map((l) => el('option', { value: l.link, dir: 'auto' }, linkName(l))));
  }
  select.value = String(app.link);
  select.disabled = app.info.links.length < 2;
}

function roster() {
  const players = new Map();
  for (const l of app.info.links) {
    if (l.player && !players.has(l.player)) players.set(l.player, l);
  }
  const host = $('#roster');
  const key = JSON.stringify([...players.keys()]);
  if (host.dataset.key === key) return;
  host.dataset.key = key;
  host.replaceChildren(...[...players].map(([name, link]) => {
    const item = el('li', { title: name }, el('span', { class: 'swatch', 'aria-hidden': 'true' }), foreign(name));
    tint(item, link.peer == null ? null : { peer: link.peer });
    return item;
  }));
}

// firstShip returns the time of the first ship in the first minute, so that a recording does not
// begin with an empty map.
async function firstShip() {
  const first = indexOf(app.info.start);
  for (let i = first; i < first + 60 / SIZE && i * SIZE <= app.info.end; i++) {
    const w = await load(i);
    if (w.snapshot.ships.length) return w.from;
    const created = w.changes.find((change) => change.kind === 'create');
    if (created) return created.t;
  }
  return app.info.start;
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

// poll repeats the request until a recording is loaded.
async function poll() {
  for (;;) {
    try {
      if (!(await refresh()).loading) return;
    } catch {
      // The banner tells it.
    }
    await pause(health.down ? 1000 : POLL);
  }
}

async function begin() {
  while (!app.info) {
    try {
      await refresh();
    } catch {
      await pause(500);
    }
  }
  if (!(await someClient())) return;
  app.link = app.info.link;
  emit('link');
  if (app.info.loading) poll();
  const restored = await hash.restore(changeLink);
  if (app.info.live) {
    if (restored) open();
    else goLive();
  } else if (!restored) {
    await seek(await firstShip());
  }
  present();
  radar.invalidate();
}

function present() {
  attribute(document.body, 'data-ready', '');
  ready = true;
}

// someClient waits for the first client and reports whether there is one.
async function someClient() {
  while (app.info.links.length === 0) {
    if (!app.info.loading) present();
    if (!app.info.loading && !app.info.live) return false;
    await pause(app.info.live ? 2 * POLL : POLL);
    await refresh().catch(() => {});
  }
  return true;
}

let refreshing = false;
let outdated = false; // news came during a request

// announced takes news of a live match between two answers of /api/info.
async function announced(news) {
  if (!app.info) return;
  if (news.end > app.info.end) app.info.end = news.end;
  emit('time');
  const unknown = news.events ? news.events.some((e) => e.kind === 'join' || e.kind === 'leave') : true;
  outdated ||= unknown;
  if (refreshing) return;
  refreshing = true;
  while (outdated) {
    await pause(300);
    outdated = false;
    await refresh().catch(() => {});
  }
  refreshing = false;
}

for (const part of [theme, tabs, banner, log, timeline, controls, radar, radarinput, ships, shipdetail, events, messages, message, traffic, keys]) part.start();
hash.start(changeLink);
on('info', () => {
  links();
  roster();
});
on('announce', announced);
on('outdated', () => refresh().catch(() => {}));
on('back', () => {
  if (ready) poll();
});
$('#link').addEventListener('change', (e) => changeLink(Number(e.target.value)));
begin().catch(report);
