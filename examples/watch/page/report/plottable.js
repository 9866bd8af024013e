// The table of a plot: the least, mean and largest value of each series, and values at some times.

import { el, foreign } from '../dom.js';
import { clock, short } from '../format.js';

const TIMES = 24;

// plotTable returns a node that is filled when it is opened.
export function plotTable(plot) {
  const host = el('div', { class: 'plot-table', tabindex: '0', role: 'region', 'aria-label': `${plot.options.title}, table` });
  const node = el('details', { class: 'plot-details' }, el('summary', null, 'Table'), host);
  const format = (v) => (v == null ? '–' : (plot.options.format?.(v) ?? short(v)));
  const fill = () => {
    if (node.open) host.replaceChildren(table(plot, format));
  };
  node.addEventListener('toggle', () => {
    node.parentElement?.classList.toggle('open', node.open);
    fill();
  });
  return { node, refresh: fill };
}

function table(plot, format) {
  const { x, series } = plot.data;
  const head = (text) => el('th', { scope: 'col' }, text);
  const row = (title, values) => el('tr', null, el('th', { scope: 'row' }, title), ...values.map((v) => el('td', null, v)));
  const sums = series.map(({ values }) => summary(values));
  const rows = [
    row('least', sums.map((s) => format(s.least))),
    row('mean', sums.map((s) => format(s.mean))),
    row('largest', sums.map((s) => format(s.most))),
  ];
  const every = Math.max(1, Math.ceil(x.length / TIMES));
  for (let i = 0; i < x.length; i += every) rows.push(row(clock(x[i]), series.map((s) => format(s.values[i]))));
  return el('table', null,
    el('caption', { class: 'hidden' }, `${plot.options.title}${plot.options.unit ? `, ${plot.options.unit}` : ''}`),
    el('thead', null, el('tr', null, head('time'), ...series.map((s) => head(foreign(s.name))))),
    el('tbody', null, ...rows));
}

function summary(values) {
  const known = values.filter((v) => v != null);
  if (!known.length) return { least: null, mean: null, most: null };
  let least = Infinity;
  let most = -Infinity;
  let sum = 0;
  for (const v of known) {
    least = Math.min(least, v);
    most = Math.max(most, v);
    sum += v;
  }
  return { least, most, mean: sum / known.length };
}
