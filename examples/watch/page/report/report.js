// The report of a match. The program renders it, and escapes all texts. Here it becomes a part of the page: the
// players have their colours, buttons and links seek, and the tables can be saved.

import { aborted, get } from '../backend/api.js';
import { seek } from '../playback/clock.js';
import { $, el, throttled, toggle, write } from '../dom.js';
import { Failure } from '../backend/failure.js';
import { clock, plural } from '../format.js';
import { download, saveNodes } from '../picture.js';
import { tint } from '../palette.js';
import { app, on, report as complain } from '../state.js';
import { show as view } from '../tabs.js';

const host = $('#report');
const choice = $('#report-match');
let chosen = null; // the number of a match
let picked = false; // by the user; otherwise it is that with most deaths, or the one that goes on
let report = null; // the answer that host shows
let kills = []; // the rows of the list

// What elements with such a data attribute do.
const actions = {
  show(t) {
    view('radar');
    seek(Number(t));
  },
  kill: (n) => mark(kills[n]),
  // The next kill of the player after the current time, or the first one.
  next(player) {
    const all = kills.filter((row) => row.dataset.killer === player);
    mark(all.find((row) => row.dataset.t > app.time + 1e-6) ?? all[0]);
  },
  table: (name) => save(name).catch(failed),
};

function click(e) {
  const plot = e.target.closest('.report-plot svg');
  if (plot) {
    const box = plot.getBoundingClientRect();
    seek(report.start + ((e.clientX - box.left) / box.width) * (report.end - report.start));
  }
  const node = e.target.closest('[data-show], [data-kill], [data-next], [data-table]');
  if (!node) return;
  e.preventDefault();
  for (const [key, value] of Object.entries(node.dataset)) actions[key]?.(value);
}

// mark seeks a kill, and shows its row.
function mark(row) {
  if (!row) return;
  seek(Number(row.dataset.t));
  row.scrollIntoView({ block: 'nearest' });
  row.focus({ preventScroll: true });
}

// save gives the reader a table as a file.
async function save(name) {
  const { match } = report;
  const { text } = await get('table', { match, name });
  download(new Blob([text], { type: 'text/csv' }), `${match + 1}-${name}.csv`);
}

function build() {
  host.innerHTML = report.html;
  kills = [...host.querySelectorAll('.report-kills tbody tr')];
  $('#report-summary').replaceChildren($('.report-summary', host));
  paint();
  move();
}

// paint gives the players their colours, which they get when they are named.
function paint() {
  for (const node of host.querySelectorAll('[data-player]')) tint(node, report.players[node.dataset.player]);
}

function choose(matches) {
  const key = JSON.stringify(matches);
  if (choice.dataset.key !== key) {
    choice.dataset.key = key;
    choice.replaceChildren(...matches.map((m) => el('option', { value: m.match }, `Match ${m.match + 1}: ${clock(m.start, 0)} to ${clock(m.end, 0)}, ${plural(m.deaths, 'death')}`)));
  }
  picked &&= matches.some((m) => m.match === chosen);
  if (!picked) chosen = matches.reduce((a, b) => (app.info.live || b.deaths > a.deaths ? b : a)).match;
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
    write($('#report-state'), [dropped && `Earlier matches left out: ${dropped}.`, app.info.loading && 'The file is still loading.'].filter(Boolean).join(' '));
    if (!matches.length) return;
    choose(matches);
    const answer = await get('report', { match: chosen });
    // A live match goes on while somebody reads: the focus stays where it is. A file that loads is shown
    // once, and at the end, so that the page stays quick.
    if (report?.match === answer.match && (answer.html === report.html || app.info.loading || host.contains(document.activeElement))) return;
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
  const latest = kills.findLast((row) => row.dataset.t <= app.time + 1e-6);
  for (const row of kills) toggle(row, 'latest', row === latest);
}

export function start() {
  host.addEventListener('click', click);
  $('#report-png').addEventListener('click', () => report && saveNodes([host], `report-${report.match + 1}`, 1200).catch(complain));
  choice.addEventListener('change', () => {
    chosen = Number(choice.value);
    picked = true;
    update();
  });
  on('restart', () => {
    chosen = report = null;
    picked = false;
    update();
  });
  on('view layout', update);
  on('theme', paint);
  on('time', throttled(move, 100));
  let loading = false;
  on('info', (info) => {
    if (loading && !info.loading) update(); // the end of the file
    loading = info.loading;
  });
  on('info announce', throttled(update, 3000));
}
