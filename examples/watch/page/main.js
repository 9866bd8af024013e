// The start of the page: it asks what there is, and keeps asking while a recording loads.

import { get, health } from './backend/api.js';
import { start } from './backend/backend.js';
import * as allships from './list/allships.js';
import * as banner from './banner.js';
import { bounds, outrun, seek } from './playback/clock.js';
import * as controls from './playback/controls.js';
import { $, attribute, el, foreign, resized, write } from './dom.js';
import * as events from './list/events.js';
import { Failure } from './backend/failure.js';
import * as filters from './list/filters.js';
import { clamp } from './format.js';
import * as hash from './hash.js';
import * as keys from './keys.js';
import { goLive, open, tail } from './playback/live.js';
import * as log from './backend/log.js';
import * as messages from './list/messages.js';
import * as message from './list/message.js';
import { tint } from './palette.js';
import * as radar from './map/radar.js';
import * as radarinput from './map/radarinput.js';
import * as matchReport from './report/report.js';
import * as shipdetail from './list/shipdetail.js';
import * as ships from './list/ships.js';
import * as film from './map/film.js';
import { app, emit, errors, on, report, set } from './state.js';
import * as tabs from './tabs.js';
import * as theme from './theme.js';
import * as timeline from './playback/timeline.js';
import * as traffic from './report/traffic.js';
import { SIZE, forget, indexOf, load } from './backend/windows.js';
import { world } from './backend/world.js';

const POLL = 250; // milliseconds, while a recording loads

let ready = false;
let matches = 0; // number of matches that were begun
let renewed = false; // the next answer is the first one about another match

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
    connected: !health.down && !tail.broken,
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
  if (!old || renewed) app.link = info.link;
  // A program that was started again may have another recording, and a live match forgets links.
  const gone = info.links.length > 0 && old?.links.length > 0 && !info.links.some((l) => l.link === app.link);
  if (old && (renewed || gone || info.title !== old.title || info.start !== old.start || info.messages < old.messages)) again();
  renewed = false;
  emit('info', info);
  return info;
}

function again() {
  forget();
  outrun();
  if (!app.info.links.some((l) => l.link === app.link)) app.link = app.info.link;
  emit('restart');
  emit('link');
  if (app.info.links.length === 0) {
    world.load({ players: [], ships: [] }, app.info.start);
    emit('world', 'seek');
  } else if (!app.live) seek(app.time);
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

// better follows a live match on another link, because the player of this one is not there any more.
async function better(link) {
  const name = (number) => filters.nameOf(number);
  const left = name(app.link);
  await refresh();
  if (!app.live || link === app.link) return;
  emit('notice', `${left} is not in the match any more. The page now shows it as ${name(link)} sees it.`);
  await changeLink(link);
}

function title() {
  const { title, live, silent, links } = app.info;
  document.title = `${title} · bcwire watch`;
  write($('#title bdi'), title);
  const badge = $('#title .badge');
  badge.hidden = !live;
  write(badge, silent && links.length ? 'no signal' : 'live');
}

function links() {
  const select = $('#link');
  const key = JSON.stringify(app.info.links.map((l) => [l.link, l.player, l.here]));
  if (select.dataset.key !== key) {
    select.dataset.key = key;
    const labels = filters.linkLabels(app.info.links);
    select.replaceChildren(...app.info.links.map((l, i) => el('option', { value: l.link, dir: 'auto' }, labels[i] + (app.info.live && !l.here ? ' (not in the match)' : ''))));
  }
  select.value = String(app.link);
  select.disabled = app.info.links.length < 2;
}

function roster() {
  const players = new Set(app.info.links.filter((l) => l.here || !app.info.live).map((l) => l.player).filter(Boolean));
  const host = $('#roster');
  const key = JSON.stringify([...players]);
  if (host.dataset.key === key) return;
  host.dataset.key = key;
  host.replaceChildren(...[...players].map((name) => {
    const item = el('li', { title: name }, el('span', { class: 'swatch', 'aria-hidden': 'true' }), foreign(name));
    tint(item, name);
    return item;
  }));
  fit();
}

// fit shows as many players as have room with their names, and the number of the others.
function fit() {
  const host = $('#roster');
  const wide = () => host.scrollWidth > host.clientWidth + 1;
  $('.more', host)?.remove();
  const items = [...host.children];
  for (const item of items) item.hidden = false;
  if (!host.clientWidth || !wide()) return;
  const more = host.appendChild(el('li', { class: 'more' }));
  for (let n = items.length; n > 0 && wide(); n--) {
    items[n - 1].hidden = true;
    write(more, `+${items.length - n + 1}`);
    attribute(more, 'title', items.slice(n - 1).map((item) => item.title).join(', '));
  }
}

const SEARCHED = 30; // seconds in which a recording looks for the fight

// opening returns where a recording opens, so that the map shows more than one lone ship: at the
// first shot soon after most of the ships of the first half minute have come, or else with them. The
// place is found if the program has all of that time.
async function opening() {
  const ships = new Map(); // when they came, by the peer IDs of the players; a player may get another ship
  const shots = [];
  const first = indexOf(app.info.start);
  let found = true;
  for (let i = first; i < first + SEARCHED / SIZE && i * SIZE <= app.info.end; i++) {
    const w = await load(i);
    found &&= w.complete || w.end >= w.to;
    const came = ({ peer, id }, t) => ships.has(peer ?? id) || ships.set(peer ?? id, t);
    for (const ship of w.snapshot.ships) came(ship, w.from);
    for (const { kind, t, ship } of w.changes) {
      if (kind === 'create') came(ship, t);
      else if (kind === 'torpedo' || kind === 'beam') shots.push(t);
    }
  }
  const most = [...ships.values()][Math.ceil(ships.size * 0.75) - 1] ?? app.info.start;
  return { time: shots.find((t) => t >= most && t < most + SIZE) ?? most, found };
}

// openAt goes to the opening. Until the place is found, it looks again, unless the user moves.
async function openAt(mine, before) {
  let place;
  try {
    place = await opening();
  } catch (error) {
    if (!(error instanceof Failure)) throw error; // another file was opened, or the banner tells it
    place = { time: before, found: !app.info.loading };
  }
  if (mine !== matches) return;
  // The first second of a recording that loads may move, and the page with it.
  if (before !== undefined && (app.time !== clamp(before, ...bounds()) || app.playing)) return;
  if (place.time !== before) await seek(place.time);
  const { time } = app;
  if (!place.found) setTimeout(() => openAt(mine, time).catch(report), POLL);
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

// poll repeats the request until a recording is loaded.
async function poll(mine = matches) {
  while (mine === matches) {
    try {
      if (!(await refresh()).loading) return;
    } catch {
      // The banner tells it.
    }
    await pause(health.down ? 1000 : POLL);
  }
}

// begin shows the match of the program, or of a file that was opened.
async function begin() {
  const mine = ++matches;
  if (app.info) renew();
  while (!app.info || renewed) {
    try {
      await refresh();
    } catch {
      await pause(500);
    }
    if (mine !== matches) return;
  }
  if (!(await someClient(mine))) return;
  app.link = app.info.link;
  emit('link');
  if (app.info.loading) poll(mine);
  const restored = await hash.restore(changeLink);
  if (mine !== matches) return;
  if (app.info.live) {
    if (restored) open();
    else goLive();
  } else if (!restored) {
    await openAt(mine);
  }
  present();
  radar.invalidate();
}

// renew forgets what belongs to the match of another file.
function renew() {
  hash.leave();
  renewed = true;
  ready = false;
  document.body.removeAttribute('data-ready');
  set('playing', false, 'play');
  set('message', null);
  set('selected', null, 'select');
  set('follow', null);
}

function present() {
  attribute(document.body, 'data-ready', '');
  ready = true;
}

// someClient waits for the first client and reports whether there is one.
async function someClient(mine) {
  while (app.info.links.length === 0) {
    if (!app.info.loading) present();
    if (!app.info.loading && !app.info.live) return false;
    await pause(app.info.live ? 2 * POLL : POLL);
    await refresh().catch(() => {});
    if (mine !== matches) return false;
  }
  return true;
}

let refreshing = false;
let known = 0; // news of which the last answer of /api/info tells

// announced takes news of a live match between two answers of /api/info.
async function announced({ now, news, silent }) {
  if (!app.info) return;
  app.info.end = Math.max(app.info.end, now);
  emit('time');
  const changed = !silent !== !app.info.silent;
  app.info.silent = silent;
  if (refreshing || (news === known && !changed)) return;
  refreshing = true;
  known = news;
  await pause(300);
  await refresh().catch(() => {});
  refreshing = false;
}

for (const part of [theme, tabs, banner, log, timeline, controls, radar, radarinput, film, ships, allships, shipdetail, events, filters, messages, message, traffic, matchReport, keys]) part.start();
hash.start(changeLink);
on('info', () => {
  title();
  links();
  roster();
});
resized($('#roster'), fit);
on('announce', announced);
on('better', (link) => better(link).catch(report));
on('outdated', () => refresh().catch(() => {}));
on('back', () => {
  if (ready) poll();
});
$('#link').addEventListener('change', (e) => changeLink(Number(e.target.value)));
start(() => begin().catch(report));
