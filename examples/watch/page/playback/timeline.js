// The timeline: where the playback is, and seeking by pointer and keys.

import { bounds, play, seek } from './clock.js';
import { $, attribute, debounced, resized, throttled, write } from '../dom.js';
import { eventText, log } from '../backend/log.js';
import { clamp, clock } from '../format.js';
import { hidden } from '../list/filters.js';
import { KINDS, at, canvas, draw, keep, range, whole, zoom } from './marks.js';
import { app, on } from '../state.js';
import { load as loadTraffic } from '../backend/trafficdata.js';

const track = $('#track');
const head = $('#head');
const played = $('#played');
const tip = $('#tip');
let marks = [];
let traffic = null;
let width = 1;

const redraw = debounced(() => draw(marks, traffic), 30);

function collect() {
  marks = log.events.filter((event) => event.kind in KINDS && !hidden(KINDS[event.kind].row));
  redraw();
}

function position() {
  const [start, end] = bounds();
  if (keep(app.time)) redraw();
  const x = clamp(at(app.time, width), 0, width);
  head.style.transform = `translateX(${x}px)`;
  played.style.transform = `scaleX(${width ? x / width : 0})`;
  write($('#now'), clock(app.time));
  write($('#end'), clock(end));
  attribute(track, 'aria-valuemin', start.toFixed(2));
  attribute(track, 'aria-valuemax', Math.max(end, start + 0.01).toFixed(2));
}

// speak updates what a screen reader reads, less often than the picture.
const speak = throttled(() => {
  attribute(track, 'aria-valuenow', clamp(app.time, ...bounds()).toFixed(2));
  attribute(track, 'aria-valuetext', `${clock(app.time)} of ${clock(bounds()[1])}`);
}, 500);

function timeAt(e) {
  const r = track.getBoundingClientRect();
  const [low, high] = range();
  return low + clamp((e.clientX - r.left) / r.width, 0, 1) * (high - low);
}

// zoomTime zooms the timeline around a time.
export function zoomTime(factor, about = app.time) {
  if (!app.info) return;
  zoom(factor, about);
  position();
  redraw();
}

function wheel(e) {
  e.preventDefault();
  zoomTime(Math.exp(-e.deltaY * (e.deltaMode ? 0.05 : 0.0016)), timeAt(e));
}

// nearest returns the mark at a place of the pointer.
function nearest(e) {
  const x = e.clientX - track.getBoundingClientRect().left;
  let best = null;
  let least = 6;
  for (const event of marks) {
    const distance = Math.abs(at(event.t, width) - x);
    if (distance <= least) [best, least] = [event, distance];
  }
  return best;
}

let dragging = false;
let next = null; // the time to seek when the present seek is done

// scrub seeks while the pointer moves, one seek at a time.
async function scrub(time) {
  const busy = next !== null;
  next = time;
  if (busy) return;
  while (next !== null) {
    const goal = next;
    await seek(goal);
    if (next === goal) next = null;
  }
}

function press(e) {
  if (e.button > 0 || !app.info) return;
  dragging = true;
  track.setPointerCapture(e.pointerId);
  const mark = nearest(e);
  scrub(mark ? mark.t : timeAt(e));
}

function hover(e) {
  if (dragging) scrub(timeAt(e));
  const mark = nearest(e);
  const text = mark ? `${clock(mark.t)}  ${eventText(mark)}` : clock(timeAt(e));
  write(tip, text);
  tip.hidden = false;
  const x = e.clientX - track.getBoundingClientRect().left;
  tip.style.transform = `translateX(${clamp(x - tip.offsetWidth / 2, 0, Math.max(0, width - tip.offsetWidth))}px)`;
}

const release = () => {
  dragging = false;
};

// jump seeks the next or previous mark.
export function jump(direction) {
  const times = marks.map((event) => event.t).sort((a, b) => a - b);
  const goal = direction > 0 ? times.find((t) => t > app.time + 0.05) : times.findLast((t) => t < app.time - 0.05);
  if (goal !== undefined) seek(goal);
}

export const STEPS = {
  ArrowLeft: () => seek(app.time - 5),
  ArrowRight: () => seek(app.time + 5),
  PageDown: () => seek(app.time - 30),
  PageUp: () => seek(app.time + 30),
  Home: () => seek(bounds()[0]),
  End: () => seek(bounds()[1]),
  ',': () => step(-0.1),
  '.': () => step(0.1),
};

function step(seconds) {
  play(false);
  seek(app.time + seconds);
}

const fetchTraffic = throttled(async () => {
  try {
    const answer = await loadTraffic();
    const total = answer.links.reduce((sum, link) => link.steps.map(([n], i) => n + (sum[i] ?? 0)), []);
    traffic = { start: answer.start, step: answer.step, total };
    redraw();
  } catch {
    // The timeline needs no silhouette; the banner tells that the program is gone.
  }
}, 1500);

export function start() {
  resized(canvas.parentElement, () => {
    width = track.getBoundingClientRect().width;
    position();
    redraw();
  });
  track.addEventListener('wheel', wheel, { passive: false });
  $('#time-in').addEventListener('click', () => zoomTime(2));
  $('#time-out').addEventListener('click', () => zoomTime(0.5));
  track.addEventListener('pointerdown', press);
  track.addEventListener('pointermove', hover);
  track.addEventListener('pointerup', release);
  track.addEventListener('pointercancel', release);
  track.addEventListener('pointerleave', () => {
    tip.hidden = true;
  });
  track.addEventListener('keydown', (e) => {
    const page = { ArrowUp: 'ArrowRight', ArrowDown: 'ArrowLeft' }[e.key];
    if (!page) return;
    e.preventDefault();
    STEPS[page]();
  });
  on('time info', () => {
    position();
    speak();
  });
  on('events filter', collect);
  on('restart', whole);
  on('info theme', redraw);
  on('info', fetchTraffic);
}
