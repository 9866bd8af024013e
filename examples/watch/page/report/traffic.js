// The traffic over time: datagrams, bytes, losses and round trips, as plots.

import { seek } from '../playback/clock.js';
import { $, throttled, write } from '../dom.js';
import { linkName } from '../list/filters.js';
import { own, series } from '../palette.js';
import { Plot } from './plot.js';
import { app, on } from '../state.js';
import { load } from '../backend/trafficdata.js';

// The counts of a step of a link, in this order.
const [DATAGRAMS, BYTES, LOST, REPEATED, TIME, TRIPS] = [0, 1, 2, 3, 4, 5];

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
    rtt: new Plot({ ...options, join: 8, title: 'Round-trip time', unit: 'ms' }),
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
  const players = (values) => answer.links.map((l) => {
    const link = { ...app.info.links.find((other) => other.link === l.link), ...l };
    return { name: linkName(link), values: l.steps.map(values), colour: own(link.player) };
  });
  const count = (i) => players((counted) => Math.max(0, counted[i]) / step); // late messages make up for lost ones
  plots.datagrams.show({ x, series: count(DATAGRAMS) });
  plots.bytes.show({ x, series: count(BYTES) });
  plots.names.show({ x, series: answer.names.map((n, i) => ({ name: n.name, values: n.bytes.map((bytes) => bytes / step), colour: series(i) })) });
  plots.lost.show({ x, series: count(LOST) });
  plots.repeated.show({ x, series: count(REPEATED) });
  plots.rtt.show({ x, series: players((counted) => (counted[TRIPS] ? counted[TIME] / counted[TRIPS] : null)) });
  move();
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
