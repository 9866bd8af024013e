// The report of a match: scoreboard, highlights, kills, maps, plots and tables. The program computes
// the figures.

import { aborted, get } from './api.js';
import { seek } from './clock.js';
import { $, attribute, el, foreign, svg, throttled, toggle, write } from './dom.js';
import { Failure } from './failure.js';
import { clock, number, plural } from './format.js';
import { slotOf } from './palette.js';
import { app, on, report as complain } from './state.js';
import { show as view } from './tabs.js';

const TABLES = { players: 'Scoreboard', kills: 'Kills', highlights: 'Highlights', samples: 'Positions, hull, speed and score over time' };

const MANY = 40; // deaths on a map, from which the marks are small

const host = $('#report');
const choice = $('#report-match');
let chosen = null; // the number of a match
let shown = ''; // what host shows
let report = null;

const own = (player) => `own-${slotOf(player?.name)}`;

// name returns the name of a player in the player's colour.
const name = (index, text) => foreign(text, `report-name ${index < 0 ? '' : own(report.players.get(index))}`);

function table(label, heads, rows, className = '') {
  return el('div', { class: 'report-scroll', tabindex: '0', role: 'region', 'aria-label': label },
    el('table', { class: className },
      el('thead', null, el('tr', null, ...heads.map((text) => el('th', { scope: 'col' }, text)))),
      el('tbody', null, ...rows)));
}

const cell = (...children) => el('td', null, ...children);

// counted returns a number of the recording, and what the host has announced if that differs.
const counted = (n, told) => (n === told ? `${n}` : `${n} (${told})`);

const points = (n) => number(Math.round(n));

function scoreboard() {
  const rows = report.scores.map((p) => el('tr', null,
    el('th', { scope: 'row' }, el('span', { class: `swatch ${own(p)}`, 'aria-hidden': 'true' }), name(p.index, p.name)),
    cell(p.ships.join(', ') || '–'), cell(counted(p.kills, p.told.kills)), cell(counted(p.deaths, p.told.deaths)), cell(number(p.told.score)),
    cell(number(p.shots)), cell(number(p.torpedoes)), cell(points(p.given)), cell(points(p.shields)), cell(points(p.hull)),
    cell(clock(p.alive)), cell(p.ping ? `${Math.round(p.ping)} ms` : '–'),
    cell(p.kills ? el('button', { type: 'button', class: 'small', 'aria-label': `Next kill of ${p.name}`, click: () => next(p.index) }, 'Next kill') : null)));
  return [
    table('Scoreboard', ['Player', 'Ships', 'Kills', 'Deaths', 'Score', 'Shots', 'Torpedoes', 'Damage given', 'Shields lost', 'Hull lost', 'Time alive', 'Ping', 'Jump'], rows, 'report-scores'),
    el('p', { class: 'report-note' }, 'Kills and deaths are those in the recording, with the number of the host in brackets if it differs. The host announces the score. Shots include torpedoes. ' +
      'Damage is in points. Damage given is an estimate: what a ship loses within 15 s after a shot counts for the last player who fired at it. ' +
      'Ping is measured where the match was recorded, for players whose link was recorded.'),
  ];
}

const moment = (t, act = () => go(t)) => el('button', { type: 'button', class: 'small report-time', 'aria-label': `Show ${clock(t)} on the map`, click: act }, clock(t));

// go shows a time on the map.
function go(t) {
  view('radar');
  seek(t);
}

function highlights() {
  if (!report.highlights.length) return [el('p', { class: 'report-none' }, 'None.')];
  return [el('ul', { class: 'report-moments' }, ...report.highlights.map((h) => el('li', null, moment(h.t),
    el('span', { class: 'report-kind' }, h.kind), el('span', { class: 'report-text' }, name(h.player, h.name), ` ${h.text}`))))];
}

function kills() {
  if (!report.list.length) return [el('p', { class: 'report-none' }, 'Nobody has died.')];
  return [table('Kills', ['No.', 'Time', 'Kill', 'Weapon', 'Next kill'], report.list.map((k) => {
    const row = el('tr', { tabindex: '-1' }, cell(k.number + 1), cell(moment(k.t)),
      cell(...(k.by ? [name(k.killer, k.by), ' destroys ', name(k.victim, k.of)] : [name(k.victim, k.of), ' is destroyed']), k.class && k.class !== k.of ? ` (${k.class})` : ''),
      cell(k.weapon || '–'),
      cell(k.next < 0 ? '–' : el('button', { type: 'button', class: 'small', 'aria-label': `Next kill of ${k.by}, no. ${k.next + 1}`, click: () => mark(k.next) }, `no. ${k.next + 1}`)));
    k.row = row;
    return row;
  }), 'report-kills')];
}

// next goes to the next kill of a player after the current time, or to the first one.
function next(player) {
  const all = report.list.filter((k) => k.killer === player);
  const k = all.find((one) => one.t > app.time + 1e-6) ?? all[0];
  if (k) mark(k.number);
}

// mark seeks a kill, and shows it in the list.
function mark(n) {
  seek(report.list[n].t);
  report.list[n].row.scrollIntoView({ block: 'nearest' });
  report.list[n].row.focus({ preventScroll: true });
}

function map(m) {
  const picture = svg('svg', { class: `report-map ${m.deaths.length > MANY ? 'many' : ''}`, viewBox: '0 0 900 560', role: 'img', 'aria-label': `Map of ${m.set || 'the star system'}: where ships were, and where they died` },
    ...m.tracks.map((track) => svg('path', { class: `report-track ${own(report.players.get(track.player))}`, d: track.path })),
    ...m.deaths.map((death) => {
      const k = report.list[death.kill];
      return svg('g', { class: `report-death ${k.victim < 0 ? '' : own(report.players.get(k.victim))}`, transform: `translate(${death.x} ${death.y})`, click: () => mark(k.number) },
        svg('path', { d: 'M-7 -7L7 7M7 -7L-7 7' }), svg('text', { x: 11, y: 5 }, k.number + 1));
    }),
    svg('path', { class: 'report-bar', d: `M${880 - m.bar} 540v8h${m.bar}v-8` }), svg('text', { class: 'report-bar-text', x: 880, y: 534, 'text-anchor': 'end' }, `${number(m.length)} units`));
  return el('figure', null, el('figcaption', null, foreign(m.set || 'Star system'), ', from above. A cross is a death, with its number in the list of kills.'), picture,
    el('ul', { class: 'report-legend' }, ...m.tracks.map((track) => {
      const p = report.players.get(track.player);
      return el('li', null, el('span', { class: `swatch ${own(p)}`, 'aria-hidden': 'true' }), foreign(p.name));
    })));
}

function plots(p) {
  const at = (e) => {
    const box = e.currentTarget.getBoundingClientRect();
    return report.start + ((e.clientX - box.left) / box.width) * (report.end - report.start);
  };
  return el('figure', { class: own(p) }, el('figcaption', null, el('span', { class: 'swatch', 'aria-hidden': 'true' }), name(p.index, p.name)),
    ...p.plots.map((plot) => el('div', { class: 'report-plot' },
      el('span', null, `${plot.title}, ${number(plot.low)} to ${number(plot.top)} ${plot.unit}`.trim()),
      plot.path ? svg('svg', { viewBox: '0 0 600 48', preserveAspectRatio: 'none', role: 'img', 'aria-label': `${plot.title} of ${p.name} over time`, click: (e) => seek(at(e)) },
        svg('path', { class: 'report-line', d: plot.path }), svg('path', { class: 'report-now', d: 'M0 0V48' })) : el('span', { class: 'report-none' }, 'unknown'))),
    el('div', { class: 'report-axis' }, el('span', null, clock(report.start, 0)), el('span', null, clock(report.end, 0))));
}

// save gives the reader a table as a file.
async function save(key) {
  const { text } = await get('table', { match: report.match, name: key });
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  el('a', { href: url, download: `${app.info.title.replace(/[^\w.-]+/g, '_')}-${report.match + 1}-${key}.csv` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

function tables() {
  return [el('p', { class: 'report-tables' }, ...Object.entries(TABLES).map(([key, title]) =>
    el('button', { type: 'button', class: 'small', click: () => save(key).catch(failed) }, `${title} (CSV)`)))];
}

function overTime() {
  const known = report.scores.filter((p) => p.plots.some((plot) => plot.path));
  return [known.length ? el('div', { class: 'report-plots' }, ...known.map(plots)) : el('p', { class: 'report-none' }, 'No ship has moved.')];
}

function build() {
  report.players = new Map(report.scores.map((p) => [p.index, p]));
  const part = (title, children) => el('section', null, el('h3', null, title), ...children);
  host.replaceChildren(
    part('Scoreboard', scoreboard()), part('Highlights', highlights()), part('Kills', kills()),
    ...(report.maps.length ? [part('Map', report.maps.map(map))] : []), part('Players over time', overTime()), part('Tables', tables()));
  write($('#report-summary'), `${clock(report.start)} to ${clock(report.end)}, ${plural(report.scores.length, 'player')}, ${plural(report.list.length, 'death')}${report.reason ? `, ended: ${report.reason}` : ''}${report.omitted ? '; more players or kills are left out' : ''}${app.info.loading ? '; the file is still loading' : ''}`);
  move();
}

function choose(matches) {
  const key = JSON.stringify(matches);
  if (choice.dataset.key !== key) {
    choice.dataset.key = key;
    choice.replaceChildren(...matches.map((m) => el('option', { value: m.match }, `Match ${m.match + 1}: ${clock(m.start, 0)} to ${clock(m.end, 0)}, ${plural(m.deaths, 'death')}`)));
  }
  if (!matches.some((m) => m.match === chosen)) chosen = matches.reduce((a, b) => (b.deaths > a.deaths ? b : a)).match;
  choice.value = String(chosen);
  choice.hidden = matches.length < 2;
}

let running = false;
let again = false;

// update shows what is new. Requests follow each other, so that an older answer does not replace a newer one.
async function update() {
  again = running;
  if (running || app.view !== 'report' || !app.info) return;
  running = true;
  do {
    again = false;
    await request();
  } while (again);
  running = false;
}

async function request() {
  try {
    const { matches, dropped } = await get('reports');
    $('#report-empty').hidden = matches.length > 0;
    host.hidden = !matches.length;
    write($('#report-empty'), app.info.loading ? 'Loading…' : 'No match yet.');
    write($('#report-dropped'), dropped ? `Earlier matches left out: ${dropped}` : '');
    if (!matches.length) return;
    choose(matches);
    const answer = await get('report', { match: chosen });
    const text = JSON.stringify(answer);
    // A live match goes on while somebody reads: the focus stays where it is. A file that loads is shown
    // once, and at the end, so that the page stays quick.
    const same = report?.match === chosen;
    if (text === shown || (same && (app.info.loading || host.contains(document.activeElement)))) return;
    shown = text;
    report = answer;
    build();
  } catch (error) {
    failed(error);
  }
}

function failed(error) {
  if (!(error instanceof Failure) && !aborted(error)) complain(error);
}

// move shows the time in the plots and the list of kills.
function move() {
  if (app.view !== 'report' || !report) return;
  const fraction = (app.time - report.start) / Math.max(1e-3, report.end - report.start);
  host.style.setProperty('--now', `${600 * Math.min(1, Math.max(0, fraction))}px`);
  const latest = report.list.findLast((k) => k.t <= app.time + 1e-6);
  for (const k of report.list) toggle(k.row, 'latest', k === latest);
  attribute(host, 'data-kill', latest ? latest.number : '');
}

export function start() {
  choice.addEventListener('change', () => {
    chosen = Number(choice.value);
    update();
  });
  on('restart', () => {
    chosen = report = null;
    shown = '';
    update();
  });
  on('view layout', update);
  on('theme', () => report && !host.contains(document.activeElement) && build()); // players that were named later have got colours
  on('time', throttled(move, 100));
  let loading = false;
  on('info', (info) => {
    if (loading && !info.loading) update(); // the end of the file
    loading = info.loading;
  });
  on('info announce', throttled(update, 3000));
}
