// The filters of the message table.

import { $, debounced, el } from './dom.js';
import { number } from './format.js';
import { app, on } from './state.js';

const names = new Set(); // the chosen message names; empty means all
let changed = () => {};

// filters returns the parameters of /api/messages.
export function filters() {
  return {
    link: $('#filter-link').value,
    dir: $('#filter-dir').value,
    mark: $('#filter-mark').value,
    text: $('#filter-text').value.trim(),
    name: [...names].join(','),
  };
}

function links() {
  const select = $('#filter-link');
  const key = JSON.stringify(app.info.links.map((link) => [link.link, link.player]));
  if (select.dataset.key === key) return;
  select.dataset.key = key;
  const chosen = select.value;
  select.replaceChildren(el('option', { value: '' }, 'All clients'), ...app.info.links.map((link) =>
    el('option', { value: link.link, dir: 'auto' }, linkName(link))));
  select.value = app.info.links.some((link) => String(link.link) === chosen) ? chosen : '';
}

export function linkName(link) {
  return (link.player || `client ${link.client}`).slice(0, 60);
}

function list() {
  const host = $('#name-list');
  const key = app.info.names.map(({ name }) => name).join();
  if (host.dataset.key !== key) {
    host.dataset.key = key;
    host.replaceChildren(...app.info.names.map(({ name }) => {
      const box = el('input', { type: 'checkbox', value: name, change: choose });
      box.checked = names.has(name);
      return el('label', null, box, el('span', { class: 'name' }, name), el('span', { class: 'count' }));
    }));
  }
  [...host.children].forEach((label, i) => {
    label.lastElementChild.textContent = number(app.info.names[i].count);
  });
}

function choose(e) {
  if (e.target.checked) names.add(e.target.value);
  else names.delete(e.target.value);
  label();
  changed();
}

function label() {
  $('#name-summary').textContent = names.size === 0 ? 'All names' : names.size === 1 ? [...names][0] : `${names.size} names`;
}

// setAll chooses all names except some, or none.
function setAll(except) {
  names.clear();
  if (except) {
    for (const { name } of app.info.names) {
      if (!except.includes(name)) names.add(name);
    }
  }
  for (const box of $('#name-list').querySelectorAll('input')) box.checked = names.has(box.value);
  label();
  changed();
}

export function clear() {
  for (const id of ['link', 'dir', 'mark', 'text']) $(`#filter-${id}`).value = '';
  setAll(null);
}

export function start(listener) {
  changed = listener;
  for (const id of ['link', 'dir', 'mark']) $(`#filter-${id}`).addEventListener('change', () => changed());
  $('#filter-text').addEventListener('input', debounced(() => changed(), 250));
  $('#names-all').addEventListener('click', () => setAll(null));
  $('#names-quiet').addEventListener('click', () => setAll(['StateUpdate', 'Ack']));
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
    links();
    list();
  });
}
