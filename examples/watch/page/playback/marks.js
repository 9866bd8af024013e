// The picture behind the timeline: traffic as a silhouette, marks for events, ticks with times.

import { $ } from '../dom.js';
import { clock } from '../format.js';
import { bounds } from './clock.js';
import { colours } from '../palette.js';

export const canvas = $('#track-canvas');
const context = canvas.getContext('2d');

// KINDS are the kinds of events that have a mark, and its row: kills, chat or joins.
export const KINDS = {
  kill: { colour: 'poor', row: 'kills' },
  death: { colour: 'poor', row: 'kills' },
  chat: { colour: 'accent', row: 'chat' },
  teamchat: { colour: 'accent', row: 'chat' },
  join: { colour: 'good', row: 'joins' },
  leave: { colour: 'dim', row: 'joins' },
};

const ROWS = { joins: (height) => height - 5, chat: (height) => height / 2, kills: () => 6 };
const NEAR = 9; // pixels between marks that are drawn as one, if there are at least three

const LEAST = 5; // seconds that the timeline shows at least
let zoomed = null; // the times at both ends, or null for the whole match

// range returns the times at both ends of the timeline.
export const range = () => zoomed ?? bounds();

// zoom shows a part of the match. The time about stays at its place.
export function zoom(factor, about) {
  const [start, end] = bounds();
  const [low, high] = range();
  const length = Math.max(LEAST, (high - low) / factor);
  zoomed = length < end - start ? place(about - ((about - low) / (high - low)) * length, length) : null;
}

// place returns a part of the match of a length.
function place(low, length) {
  const [start, end] = bounds();
  const from = Math.max(start, Math.min(low, end - length));
  return [from, from + length];
}

// keep moves the part so that it has a time, and reports whether it has moved.
export function keep(time) {
  if (!zoomed || (time >= zoomed[0] && time <= zoomed[1])) return false;
  const length = zoomed[1] - zoomed[0];
  zoomed = place(time - (time > zoomed[1] ? 0.1 : 0.9) * length, length);
  return true;
}

// whole shows the whole match.
export function whole() {
  zoomed = null;
}

export const at = (time, width) => {
  const [low, high] = range();
  return high > low ? ((time - low) / (high - low)) * width : 0;
};

const STEPS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400];

// draw paints the silhouette of the traffic, the ticks and the marks.
export function draw(marks, traffic) {
  const { width, height } = canvas.parentElement.getBoundingClientRect();
  if (!width) return;
  const ratio = devicePixelRatio;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const c = context;
  c.scale(ratio, ratio);
  c.clearRect(0, 0, width, height);
  silhouette(c, traffic, width, height - 14);
  ticks(c, width, height);
  for (const row of Object.keys(ROWS)) groups(c, marks.filter(({ kind }) => KINDS[kind].row === row), width, height - 14);
  if (zoomed) overview(c, width);
}

function silhouette(c, traffic, width, height) {
  if (!traffic?.total?.length) return;
  const most = Math.max(...traffic.total, 1);
  c.fillStyle = colours['grid-strong'];
  c.beginPath();
  c.moveTo(0, height);
  traffic.total.forEach((n, i) => {
    const left = at(traffic.start + i * traffic.step, width);
    const right = at(traffic.start + (i + 1) * traffic.step, width);
    const y = height - (n / most) * (height - 4);
    c.lineTo(left, y);
    c.lineTo(right, y);
  });
  c.lineTo(at(traffic.start + traffic.total.length * traffic.step, width), height);
  c.fill();
}

// groups draws the marks of a row. Marks that would touch are one bar with their number.
function groups(c, marks, width, height) {
  const xs = marks.map((event) => at(event.t, width));
  for (let i = 0, j; i < marks.length; i = j) {
    for (j = i + 1; j < marks.length && xs[j] - xs[j - 1] < NEAR;) j++;
    if (xs[j - 1] < -NEAR || xs[i] > width + NEAR) continue;
    if (j - i > 2) bar(c, KINDS[marks[i].kind], Math.max(xs[i], 0), Math.min(xs[j - 1], width), j - i, width, height);
    else for (let k = i; k < j; k++) mark(c, marks[k], xs[k], height);
  }
}

function bar(c, { colour, row }, left, right, count, width, height) {
  const text = String(count);
  const wide = Math.max(right - left, c.measureText(text).width) + 8;
  const x = Math.max(0, Math.min((left + right - wide) / 2, width - wide));
  const y = ROWS[row](height);
  c.fillStyle = colours[colour];
  c.beginPath();
  c.roundRect(x, y - 5, wide, 10, 5);
  c.fill();
  c.fillStyle = colours.bg;
  c.textAlign = 'center';
  c.fillText(text, x + wide / 2, y + 3.5);
}

// overview shows which part of the match the timeline has.
function overview(c, width) {
  const [start, end] = bounds();
  const x = (time) => ((time - start) / (end - start)) * width;
  c.fillStyle = colours.accent;
  c.fillRect(x(zoomed[0]), 0, Math.max(4, x(zoomed[1]) - x(zoomed[0])), 2);
}

function ticks(c, width, height) {
  const [start, end] = range();
  const step = STEPS.find((s) => (s / Math.max(1e-9, end - start)) * width >= 64) ?? 28800;
  c.strokeStyle = colours.line;
  c.fillStyle = colours.dim;
  c.font = '10px "Liberation Sans", Arial, sans-serif';
  c.textAlign = 'center';
  c.lineWidth = 1;
  c.beginPath();
  for (let i = Math.ceil(start / step); i * step <= end; i++) {
    const x = Math.round(at(i * step, width)) + 0.5;
    c.moveTo(x, 0);
    c.lineTo(x, height - 12);
    if (x > 18 && x < width - 18) c.fillText(clock(i * step, step < 1 ? 1 : 0), x, height - 2);
  }
  c.moveTo(0, height - 13.5);
  c.lineTo(width, height - 13.5);
  c.stroke();
}

function mark(c, event, x, height) {
  const kind = KINDS[event.kind];
  c.fillStyle = colours[kind.colour];
  c.strokeStyle = colours[kind.colour];
  if (kind.row === 'kills') {
    c.globalAlpha = 0.55;
    c.fillRect(x - 0.75, 5, 1.5, height - 5);
    c.globalAlpha = 1;
    c.beginPath();
    c.moveTo(x, 1);
    c.lineTo(x + 4.5, 6);
    c.lineTo(x, 11);
    c.lineTo(x - 4.5, 6);
    c.fill();
  } else if (kind.row === 'chat') {
    c.beginPath();
    c.arc(x, ROWS.chat(height), 3, 0, 7);
    c.fill();
  } else {
    const up = event.kind === 'join';
    const y = height - 3;
    c.beginPath();
    c.moveTo(x - 4, up ? y : y - 6);
    c.lineTo(x + 4, up ? y : y - 6);
    c.lineTo(x, up ? y - 6 : y);
    c.fill();
  }
}
