// The buttons of the playback.

import { SPEEDS, play, seek, waiting } from './clock.js';
import { $, attribute, el, toggle, write } from '../dom.js';
import { goLive, tail } from './live.js';
import { app, on, set } from '../state.js';
import { STEPS, jump } from './timeline.js';

const name = (speed) => (speed === 0.5 ? '½×' : `${speed}×`);

function show() {
  const playing = app.playing;
  const button = $('#play');
  attribute(button, 'aria-label', playing ? 'Pause' : 'Play');
  attribute(button, 'title', playing ? 'Pause (Space)' : 'Play (Space)');
  toggle(button, 'playing', playing);
  $('#speed').value = String(app.speed);
  $('#speed').disabled = app.live;
  const live = $('#live');
  live.hidden = !app.info?.live;
  attribute(live, 'aria-pressed', app.live);
  age();
}

// age tells how old the end of a live match is: that nobody sends is no reason to take it for the present.
function age() {
  const { silent } = tail;
  toggle($('#live'), 'silent', silent > 0);
  const old = silent || tail.age;
  const words = silent ? `No signal for ${old.toFixed(0)} s` : app.live ? `Live, ${old.toFixed(1)} s ago` : 'Go live';
  write($('#live').lastElementChild, words);
}

// pause leaves the end of a live match, because the end does not stand still.
export function pauseOrPlay() {
  if (app.live) {
    set('live', false);
    set('playing', false, 'play');
    seek(app.time);
  } else {
    play();
  }
}

export function start() {
  $('#speed').append(...SPEEDS.map((speed) => el('option', { value: speed }, name(speed))));
  $('#speed').addEventListener('change', (e) => set('speed', Number(e.target.value), 'play'));
  $('#play').addEventListener('click', pauseOrPlay);
  $('#previous').addEventListener('click', () => jump(-1));
  $('#next').addEventListener('click', () => jump(1));
  $('#back').addEventListener('click', STEPS.ArrowLeft);
  $('#ahead').addEventListener('click', STEPS.ArrowRight);
  $('#live').addEventListener('click', () => (app.live ? pauseOrPlay() : goLive()));
  on('play live info', show);
  on('announce', age);
  on('world', () => toggle($('#now'), 'waiting', waiting.since > 0 && performance.now() - waiting.since > 300));
  show();
}
