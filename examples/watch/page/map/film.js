// Pictures of the map: a PNG, and a film of the kill that is nearest, or else of the next seconds.

import { $, attribute, write } from '../dom.js';
import { log } from '../backend/log.js';
import { download, saveCanvas } from '../picture.js';
import { bounds, play, seek } from '../playback/clock.js';
import { app, emit, on, report } from '../state.js';
import { canvas } from './radar.js';
import { action } from './radarinput.js';

const BEFORE = 5; // seconds of the match before a kill
const AFTER = 2.5;
const NEAR = 20; // seconds to the kill
const TYPES = ['video/webm;codecs=vp9', 'video/webm', 'video/mp4'];

let recorder = null;
let end = 0; // of the film, as a time of the match

// nearest returns the time of the kill that is nearest to the playback, or null.
function nearest() {
  let best = null;
  for (const { kind, t } of log.events) {
    if ((kind === 'kill' || kind === 'death') && Math.abs(t - app.time) < Math.abs((best ?? app.time + NEAR) - app.time)) best = t;
  }
  return best;
}

async function film() {
  if (recorder) return recorder.stop();
  const type = TYPES.find((t) => window.MediaRecorder?.isTypeSupported(t));
  if (!type || !canvas.captureStream) return emit('problem', 'This browser cannot make films of a canvas.');
  recorder = new MediaRecorder(canvas.captureStream(30), { mimeType: type, videoBitsPerSecond: 3e6 });
  show();
  const kill = app.live ? null : nearest();
  end = (kill ?? app.time + BEFORE) + AFTER;
  if (kill !== null) {
    await seek(Math.max(bounds()[0], kill - BEFORE));
    if (!app.follow) action(true);
  }
  const chunks = [];
  recorder.ondataavailable = ({ data }) => chunks.push(data);
  recorder.onstop = () => {
    recorder = null;
    if (!app.live) play(false);
    show();
    download(new Blob(chunks, { type }), `${app.time.toFixed(0)}s.${type.slice(6, 10).replace(';', '')}`);
  };
  recorder.start();
  if (!app.live) play(true);
}

function show() {
  attribute($('#map-film'), 'aria-pressed', recorder !== null);
  write($('#map-film'), recorder ? 'Stop the film' : 'Film');
}

export function start() {
  $('#map-png').addEventListener('click', () => saveCanvas(canvas, `${app.time.toFixed(0)}s`));
  $('#map-film').addEventListener('click', () => film().catch(report));
  on('time', () => {
    if (recorder?.state === 'recording' && (app.time >= end || app.time >= bounds()[1])) recorder.stop();
  });
}
