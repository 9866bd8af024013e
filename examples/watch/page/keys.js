// Keys for the whole page, and the dialog that lists them.

import { faster } from './playback/clock.js';
import { pauseOrPlay } from './playback/controls.js';
import { $, el } from './dom.js';
import { goLive } from './playback/live.js';
import { fit } from './map/radar.js';
import { action, follow, zoomBy } from './map/radarinput.js';
import { step } from './list/ships.js';
import { app, set } from './state.js';
import { VIEWS, show } from './tabs.js';
import { switchTheme } from './theme.js';
import { STEPS, jump, zoomTime } from './playback/timeline.js';

const HELP = [
  ['Playback', [
    [['Space'], 'play or pause'],
    [['←', '→'], 'back or ahead 5 s'],
    [['Page Down', 'Page Up'], 'back or ahead 30 s'],
    [[',', '.'], 'back or ahead 0.1 s'],
    [['p', 'n'], 'previous or next mark'],
    [['Home', 'End'], 'start or end'],
    [['<', '>'], 'slower or faster'],
    [['z', 'Z'], 'less or more time in the timeline'],
    [['l'], 'go to the end of a live match'],
  ]],
  ['Map and ships', [
    [['[', ']'], 'previous or next ship'],
    [['f'], 'follow the selected ship'],
    [['a'], 'show the action: the ships that fight, and those of the next kill'],
    [['+', '−'], 'zoom'],
    [['0'], 'show all ships'],
    [['Esc'], 'select no ship'],
  ]],
  ['Views', [
    [['1', '…', '6'], 'Radar, Ships, Events, Messages, Traffic, Report'],
    [['/'], 'search the messages'],
    [['t'], 'dark or light theme'],
    [['?'], 'this list'],
  ]],
  ['In tables', [
    [['↑', '↓'], 'previous or next row'],
    [['Enter'], 'open a message, or seek an event'],
    [['Esc'], 'leave a field'],
  ]],
];

// SIGNS explain what the page draws: a picture, of a colour, and its meaning.
const SIGNS = [
  ['Map, seen from above', [
    ['➤', 'text', 'a ship, in the colour of its player, with its path of the last seconds; with an arrow every 5 s; the line ahead shows 3 s of its speed'],
    ['▷', 'poor', 'an outline in red: destroyed; broken: cloaked; grey: a ship whose class is unknown'],
    ['┴', 'dim', 'a stem with a number: the height above or below the map'],
    ['━', 'shield', 'the mean of the six shield facings'],
    ['━', 'good', 'the hull: green above 66 %, yellow above 33 %, red'],
    ['┅', 'unknown', 'a broken bar: unknown, because no message tells it'],
    ['✹', 'spark', 'shots and hits; the wire has no speed of torpedoes, so their flight is drawn roughly'],
    ['┈┈', 'accent', 'from the selected ship to the one at which it has fired last, with the distance'],
    ['⌜⌟', 'accent', 'the selected ship, with times on its path; rings at 50 and 100 units are around a followed ship'],
  ]],
  ['Timeline and events', [
    ['◆', 'poor', 'a ship is destroyed'],
    ['●', 'accent', 'a line of chat; in the list “'],
    ['▲', 'good', 'a player joins'],
    ['▼', 'dim', 'a player leaves'],
    ['12', 'text', 'a bar with a number: so many marks; zoom in to see them'],
    ['▂▅', 'grid-strong', 'datagrams over time'],
    ['✶ ◌ # •', 'dim', 'in the list: a collision, a cloak, a score, damage and other news'],
  ]],
  ['Words', [
    ['Seen by', 'text', 'each player’s computer has its own picture of the match; the map is that of this player'],
    ['0 (5)', 'text', 'in the report: 0 in this recording, and 5 as the host counts them, who saw more of the match'],
    ['revenge', 'text', 'in the report: a kill of the player who has killed you, within a minute'],
    ['dialect', 'fair', 'bytes that differ from those of the game, as some servers write them'],
    ['deciphered', 'text', 'the game scrambles what it sends; a recording from inside a program may have it in the clear'],
  ]],
  ['Ships and messages', [
    ['■', 'good', 'a part of a subsystem, in the colour of its condition; press the row of squares for names'],
    ['?', 'text', 'may be stale: an update could not be read'],
    ['#35', 'dim', 'the sequence number of a message that is delivered reliably'],
  ]],
];

const dialog = $('#help-dialog');

function help() {
  if (dialog.open) dialog.close();
  else dialog.showModal();
}

function search() {
  show('messages');
  $('#filter-text').focus();
}

const KEYS = {
  ' ': pauseOrPlay,
  '<': () => faster(-1),
  '>': () => faster(1),
  z: () => zoomTime(2),
  Z: () => zoomTime(0.5),
  n: () => jump(1),
  p: () => jump(-1),
  l: goLive,
  '[': () => step(-1),
  ']': () => step(1),
  f: () => follow(app.follow ?? app.selected),
  a: () => action(),
  '+': () => zoomBy(1.3),
  '=': () => zoomBy(1.3),
  '-': () => zoomBy(1 / 1.3),
  0: () => {
    set('follow', null);
    fit();
  },
  Escape: () => set('selected', null, 'select'),
  '/': search,
  t: switchTheme,
  '?': help,
  ...STEPS,
};
VIEWS.forEach((view, i) => {
  KEYS[i + 1] = () => show(view);
});

// typing reports whether a key belongs to the element with the focus.
function typing(e) {
  const { target } = e;
  if (target.isContentEditable || target.closest('dialog')) return true;
  if (target.tagName === 'INPUT') return target.type !== 'checkbox' || e.key === ' ';
  if (target.tagName === 'SELECT') return e.key !== '?';
  return e.key === ' ' && target.closest('button, summary, a') !== null;
}

function press(e) {
  if (e.key === 'Escape' && e.target.matches('input, select')) return e.target.blur();
  if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || typing(e)) return;
  const action = Object.hasOwn(KEYS, e.key) ? KEYS[e.key] : null;
  if (!action || (!app.info && e.key !== '?' && e.key !== 't')) return;
  e.preventDefault();
  action();
}

export function start() {
  document.addEventListener('keydown', press);
  $('#help').addEventListener('click', help);
  $('#help-close').addEventListener('click', () => dialog.close());
  dialog.addEventListener('click', (e) => {
    if (e.target === dialog) dialog.close();
  });
  $('#help-signs').replaceChildren(...SIGNS.map(([title, signs]) => el('section', null, el('h3', null, title),
    el('dl', null, ...signs.map(([sign, colour, text]) => el('div', null, el('dt', { class: 'sign', 'data-colour': colour }, sign), el('dd', null, text)))))));
  $('#help-keys').replaceChildren(...HELP.map(([title, keys]) => el('section', null, el('h3', null, title),
    el('dl', null, ...keys.map(([names, text]) => el('div', null,
      el('dt', null, ...names.flatMap((name) => [name === '…' ? '…' : el('kbd', null, name), ' '])), el('dd', null, text)))))));
}
