// The traffic over time: datagrams, bytes, losses and round trips, as plots.

import { seek } from '../playback/clock.js';
import { $, throttled, write } from '../dom.js';
import { linkName } from '../list/filters.js';
import { own, series } from '../palette.js';
import { Plot } from './plot.js';
import { app, on } from '../state.js';
import { load } from '../backend/trafficdata.js';

// The counts of a step of a link, in this order.
const [DATAGRAMS, BYTES, LOST, REPEATED, TRIPS] = [0, 1, 2, 3, 4];

let plots = null;

function build() {
  const host = $('#plots');
  const options = { height: 222, seek };
  plots = {
    datagrams: new Plot({ ...options, title: 'Datagrams', unit: 'per second' }),
    names: new Plot({ ...options, title: 'Bytes by message', unit: 'per second', stacked: true }),
    bytes: new Plot({ ...options, title: 'Bytes by player', unit: 'per second' }),
    lost: new Plot({ ...options, title: 'Lost datagrams', unit: 'per second' }),
    repeated: new Plot({ ...options, title: 'Repeated messages', unit: 'per second' }),
    rtt: new Plot({ ...options, join: 8, title: 'Ping', unit: 'ms' }),
  };
  host.replaceChildren(...Object.values(plots).map((plot) => plot.node));
}

async function update() {
  if (app.view !== 'traffic' || !app.info) return;
  try {
    const answer = await load();
    show(answer);
  } catch (error) {
    if (!plots) write($('#traffic-empty'), error.message);
  }
}

function show(answer) {
  const { start, step } = answer;
  const length = answer.links[0]?.steps.length ?? 0;
  const empty = $('#traffic-empty');
  empty.hidden = length > 0;
  write(empty, 'No datagrams yet.');
  $('#plots').hidden = length === 0;
  if (!length) return;
  if (!plots) build();
  const x = Array.from({ length }, (_, i) => start + i * step);
  const players = (valuesOf) => {
    const rows = new Map(); // a player who joins again has several links
    for (const l of answer.links) {
      const link = { ...app.info.links.find((other) => other.link === l.link), ...l };
      const [name, values, before] = [linkName(link), valuesOf(l.steps), rows.get(linkName(link))?.values];
      rows.set(name, { name, values: before ? values.map((v, i) => (v == null ? before[i] : v + (before[i] ?? 0))) : values, colour: own(link.player) });
    }
    return [...rows.values()];
  };
  const count = (i) => players((steps) => steps.map((counted) => Math.max(0, counted[i]) / step)); // late messages make up for lost ones
  plots.datagrams.show({ x, series: count(DATAGRAMS) });
  plots.bytes.show({ x, series: count(BYTES) });
  plots.names.show({ x, series: answer.names.map((n, i) => ({ name: n.name, values: n.bytes.map((bytes) => bytes / step), colour: series(i) })) });
  plots.lost.show({ x, series: count(LOST) });
  plots.repeated.show({ x, series: count(REPEATED) });
  plots.rtt.show({ x, series: players(ping) });
  move();
}

// ping returns the time to the client and back, plus to the server and back, as in the report.
function ping(steps) {
  const sides = [0, 0];
  return steps.map((counted) => {
    let known = false;
    for (const i of [0, 1]) {
      const [time, trips] = counted.slice(TRIPS + 2 * i);
      if (!trips) continue;
      sides[i] = time / trips;
      known = true;
    }
    return known ? sides[0] + sides[1] : null;
  });
}

function move() {
  if (app.view !== 'traffic' || !plots) return;
  for (const plot of Object.values(plots)) plot.move(app.time);
}

export function start() {
  on('view layout', update);
  on('time', throttled(move, 100));
  on('info announce', throttled(update, 3000));
}
