// The traffic over time: datagrams, bytes, losses and round trips, as plots.

import { seek } from './clock.js';
import { $, throttled, write } from './dom.js';
import { linkName } from './filters.js';
import { own, series } from './palette.js';
import { Plot } from './plot.js';
import { app, on } from './state.js';
import { load } from './trafficdata.js';

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
  const length = answer.links[0]?.datagrams.length ?? 0;
  const empty = $('#traffic-empty');
  empty.hidden = length > 0;
  write(empty, 'No datagrams yet.');
  $('#plots').hidden = length === 0;
  if (!length) return;
  if (!plots) build();
  const x = Array.from({ length }, (_, i) => start + i * step);
  const rate = (values) => values.map((v) => (v == null ? null : v / step));
  const players = (key, convert = rate) => answer.links.map((l) => {
    const link = { ...app.info.links.find((other) => other.link === l.link), ...l };
    return { name: linkName(link), values: convert(l[key]), colour: own(link.player) };
  });
  plots.datagrams.show({ x, series: players('datagrams') });
  plots.bytes.show({ x, series: players('bytes') });
  plots.names.show({ x, series: answer.names.map((n, i) => ({ name: n.name, values: rate(n.bytes), colour: series(i) })) });
  plots.lost.show({ x, series: players('lost') });
  plots.repeated.show({ x, series: players('repeated') });
  plots.rtt.show({ x, series: players('rtt', (values) => values) });
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
