// The filters of the message table, of the events, and of the marks in the timeline.

import { $, attribute, debounced, el } from '../dom.js';
import { number } from '../format.js';
import { app, emit, on } from '../state.js';

// chosen has the filters, as in the address. Empty texts choose everything. The marks of hide are not
// in the timeline.
export const chosen = { text: '', name: '', client: '', dir: '', mark: '', kind: '', player: '', hide: '' };

const inputs = { text: '#filter-text', client: '#filter-link', dir: '#filter-dir', mark: '#filter-mark', kind: '#event-kind', player: '#event-player' };

// filters returns the parameters of /api/messages.
export function filters() {
  const { text, name, client, dir, mark } = chosen;
  return { link: client, dir, mark, text: text.trim(), name };
}

// choose changes filters and announces it.
export function choose(values) {
  Object.assign(chosen, values);
  show();
  emit('filter');
}

const parts = (key) => (chosen[key] ? chosen[key].split(',') : []);

// flip adds a word to a filter that is a list, or removes it.
function flip(key, word) {
  const words = parts(key);
  choose({ [key]: (words.includes(word) ? words.filter((other) => other !== word) : [...words, word]).join() });
}

// hidden reports whether the timeline leaves out a kind of marks.
export const hidden = (marks) => parts('hide').includes(marks);

// show brings the controls in step with the filters. A list of choices may grow later.
function show() {
  for (const [key, selector] of Object.entries(inputs)) {
    const input = $(selector);
    if (input.value !== chosen[key]) input.value = chosen[key];
  }
  for (const chip of $('#marks').querySelectorAll('[data-marks]')) attribute(chip, 'aria-pressed', !hidden(chip.dataset.marks));
  const list = parts('name');
  for (const box of $('#name-list').querySelectorAll('input')) box.checked = list.includes(box.value);
  $('#name-summary').textContent = list.length === 0 ? 'All names' : list.length === 1 ? list[0] : `${list.length} names`;
}

// options replaces the choices of a list after the first one.
export function options(select, choices) {
  const key = JSON.stringify(choices);
  if (select.dataset.key === key) return;
  select.dataset.key = key;
  select.replaceChildren(select.firstElementChild, ...choices.map(([value, text]) => el('option', { value, dir: 'auto' }, text)));
  show();
}

export const nameOf = (number) => linkName(app.info.links.find((l) => l.link === number) ?? { client: number });

export function linkName(link) {
  return (link.player || `client ${link.client}`).slice(0, 60);
}

// linkLabels returns different names of the links, also of a player who joins again.
export function linkLabels(links) {
  const seen = new Map();
  return links.map((link) => {
    const name = linkName(link);
    seen.set(name, (seen.get(name) ?? 0) + 1);
    return seen.get(name) > 1 ? `${name}, connection ${seen.get(name)}` : name;
  });
}

function list() {
  const host = $('#name-list');
  const key = app.info.names.map(({ name }) => name).join();
  if (host.dataset.key !== key) {
    host.dataset.key = key;
    host.replaceChildren(...app.info.names.map(({ name }) => el('label', null,
      el('input', { type: 'checkbox', value: name }), el('span', { class: 'name' }, name), el('span', { class: 'count' }))));
    show();
  }
  [...host.children].forEach((label, i) => {
    label.lastElementChild.textContent = number(app.info.names[i].count);
  });
}

export const clear = () => choose({ text: '', name: '', client: '', dir: '', mark: '' });

export function start() {
  for (const [key, selector] of Object.entries(inputs)) {
    const set = () => choose({ [key]: $(selector).value });
    $(selector).addEventListener(key === 'text' ? 'input' : 'change', key === 'text' ? debounced(set, 250) : set);
  }
  $('#name-list').addEventListener('change', ({ target }) => flip('name', target.value));
  for (const chip of $('#marks').querySelectorAll('[data-marks]')) chip.addEventListener('click', () => flip('hide', chip.dataset.marks));
  $('#names-all').addEventListener('click', () => choose({ name: '' }));
  $('#names-quiet').addEventListener('click', () => choose({
    name: app.info.names.map(({ name }) => name).filter((name) => name !== 'StateUpdate' && name !== 'Ack').join(),
  }));
  $('#filter-clear').addEventListener('click', clear);
  const details = $('#names');
  document.addEventListener('click', (e) => {
    if (details.open && !details.contains(e.target)) details.open = false;
  });
  details.addEventListener('keydown', (e) => {
    if (e.key !== 'Escape' || !details.open) return;
    details.open = false;
    details.firstElementChild.focus();
    e.stopPropagation();
  });
  on('info', () => {
    const labels = linkLabels(app.info.links);
    options($('#filter-link'), app.info.links.map((link, i) => [String(link.link), labels[i]]));
    list();
  });
  on('restart', () => {
    if (!app.info.links.some((link) => String(link.link) === chosen.client)) choose({ client: '' });
  });
}
