// The picture behind the timeline: traffic as a silhouette, marks for events, ticks with times.

import { $ } from './dom.js';
import { clock } from './format.js';
import { bounds } from './clock.js';
import { colours } from './palette.js';

export const canvas = $('#track-canvas');
const context = canvas.getContext('2d');

export const KINDS = {
  kill: { colour: 'poor', top: 0, rank: 3 },
  death: { colour: 'poor', top: 0, rank: 3 },
  chat: { colour: 'accent', top: 1, rank: 2 },
  teamchat: { colour: 'accent', top: 1, rank: 2 },
  join: { colour: 'good', top: 2, rank: 1 },
  leave: { colour: 'dim', top: 2, rank: 1 },
};

export const at = (time, width) => {
  const [start, end] = bounds();
  return end > start ? ((time - start) / (end - start)) * width : 0;
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
  for (const event of marks) mark(c, event, at(event.t, width), height - 14);
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

function ticks(c, width, height) {
  const [start, end] = bounds();
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
  if (kind.top === 0) {
    c.globalAlpha = 0.55;
    c.fillRect(x - 0.75, 5, 1.5, height - 5);
    c.globalAlpha = 1;
    c.beginPath();
    c.moveTo(x, 1);
    c.lineTo(x + 4.5, 6);
    c.lineTo(x, 11);
    c.lineTo(x - 4.5, 6);
    c.fill();
  } else if (kind.top === 1) {
    c.beginPath();
    c.arc(x, height / 2 + 2, 3, 0, 7);
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
