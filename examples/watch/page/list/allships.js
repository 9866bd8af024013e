// The shields and hulls of all ships over time, in the view of the ships.

import { get } from '../backend/api.js';
import { $, throttled } from '../dom.js';
import { seek } from '../playback/clock.js';
import { own } from '../palette.js';
import { Plot } from '../report/plot.js';
import { app, on } from '../state.js';

const host = $('#all-ships');
let plots = null;

async function update() {
  if (app.view !== 'ships' || !app.info?.links.length) return;
  try {
    const { start, step, players } = await get('ships', { link: app.link });
    const options = { height: 150, most: 100, unit: 'percent', steps: true, seek };
    plots ??= { shields: new Plot({ ...options, title: 'Shields of all ships' }), hull: new Plot({ ...options, title: 'Hulls of all ships' }) };
    if (!host.firstChild) host.append(plots.shields.node, plots.hull.node);
    const x = Array.from({ length: players[0]?.shields.length ?? 0 }, (_, i) => start + i * step);
    for (const [key, plot] of Object.entries(plots)) {
      plot.show({ x, series: players.map((p) => ({ name: p.name, values: p[key].map((v) => (v < 0 ? null : v)), colour: own(p.name) })) });
    }
    move();
  } catch {
    // The banner tells that the program is gone.
  }
}

function move() {
  if (app.view === 'ships' && plots) for (const plot of Object.values(plots)) plot.move(app.time);
}

export function start() {
  on('view layout link theme', update);
  on('time', throttled(move, 100));
  on('info announce', throttled(update, 4000));
}
