// What is wrong, and what to do: the program is gone, a live match is interrupted, the recording has a
// problem, a request failed. Also the progress while a recording loads.

import { ask, health } from './backend/api.js';
import { LOCAL } from './backend/backend.js';
import { $, attribute, el, write } from './dom.js';
import { number, percent } from './format.js';
import { open, tail } from './playback/live.js';
import { app, on } from './state.js';

const host = $('#banner');
const progress = $('#progress');
const SHORT = 10_000; // milliseconds of a notice

let failed = '';
let notice = '';
let ends = 0; // the timer of the notice
let dismissed = '';

function text() {
  if (health.down) return ['The program does not answer. Is it still running? This page connects again by itself.', 'Try now', ask];
  if (tail.broken && app.info?.live) return ['The match is interrupted. This page connects again by itself.', 'Try now', open];
  if (failed) return [failed, 'Close', close];
  if (notice) return [notice, 'Close', close];
  const problem = app.info?.problem;
  const told = LOCAL && !app.info?.loading && app.info?.links.length === 0; // at the start of the page
  if (problem && problem !== dismissed && !told) {
    return [problem, 'Close', () => {
      dismissed = problem;
      show();
    }];
  }
  return null;
}

function close() {
  failed = notice = '';
  show();
}

function show() {
  const [words, button, action] = text() ?? [''];
  host.hidden = !words;
  attribute(host, 'data-kind', words === notice ? 'notice' : health.down || tail.broken ? 'down' : 'problem');
  write($('#banner-text'), words);
  const old = $('#banner-button');
  if (words) old.replaceWith(el('button', { id: 'banner-button', type: 'button', class: 'small', click: action }, button));
}

// loading shows how much of a recording is read.
function loading() {
  const { info } = app;
  const on = Boolean(info?.loading);
  progress.hidden = !on;
  if (!on) return;
  const { read, size, messages } = info.progress;
  const fraction = size ? Math.min(1, read / size) : null;
  const bar = $('#progress-bar');
  if (fraction === null) bar.removeAttribute('value');
  else bar.value = fraction;
  write($('#progress-text'), `Reading${fraction === null ? '' : ` ${percent(fraction)}`}, ${number(messages)} messages`);
}

export function start() {
  on('health', show);
  on('info', () => {
    loading();
    show();
  });
  on('problem', (message) => {
    failed = message;
    show();
  });
  on('notice', (text) => {
    notice = text;
    clearTimeout(ends);
    ends = setTimeout(() => {
      notice = '';
      show();
    }, SHORT);
    show();
  });
  on('back restart', close);
}
