// The views. On a wide screen the map has the ships and the events beside it.

import { $, attribute } from './dom.js';
import { app, emit, on, set } from './state.js';

export const VIEWS = ['radar', 'ships', 'events', 'messages', 'traffic', 'report'];
const narrow = matchMedia('(max-width: 900px)');

const tab = (view) => $(`#tab-${view}`);

function layout() {
  const visible = app.view === 'radar' && !narrow.matches ? ['radar', 'ships', 'events'] : [app.view];
  document.body.dataset.view = app.view;
  for (const view of VIEWS) {
    $(`#panel-${view}`).hidden = !visible.includes(view);
    attribute(tab(view), 'aria-selected', view === app.view);
    attribute(tab(view), 'tabindex', view === app.view ? 0 : -1);
  }
  emit('layout');
}

export function show(view) {
  if (VIEWS.includes(view)) set('view', view);
}

function key(e) {
  const at = VIEWS.indexOf(app.view);
  const goals = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: VIEWS.length - 1 };
  if (!(e.key in goals)) return;
  e.preventDefault();
  e.stopPropagation();
  show(VIEWS[(goals[e.key] + VIEWS.length) % VIEWS.length]);
  tab(app.view).focus();
}

export function start() {
  for (const view of VIEWS) tab(view).addEventListener('click', () => show(view));
  $('#tabs').addEventListener('keydown', key);
  narrow.addEventListener('change', layout);
  on('view', layout);
  layout();
}
