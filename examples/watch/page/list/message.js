// The selected message: its fields and its bytes.

import { aborted, get } from '../backend/api.js';
import { Bytes } from './bytes.js';
import { seek } from '../playback/clock.js';
import { $, el, foreign, write } from '../dom.js';
import { clock } from '../format.js';
import { app, on, set } from '../state.js';

const host = $('#message-detail');
let shown = null; // the answer of /api/message
let controller = null;

async function open(n) {
  controller?.abort();
  shown = null;
  host.classList.toggle('filled', n !== null);
  if (n === null) return host.replaceChildren(hint());
  if (app.view !== 'messages') return;
  controller = new AbortController();
  try {
    const answer = await get('message', { n }, controller.signal);
    if (app.message !== n) return;
    shown = answer;
    show(answer);
  } catch (error) {
    if (!aborted(error) && app.message === n) host.replaceChildren(el('p', { class: 'empty' }, error.message));
  }
}

const hint = () => el('p', { class: 'empty' }, 'Select a message to see its fields and its bytes.');

function show({ row, datagram, payload, json }) {
  const facts = [clock(row.t, 3), row.dir === 'c2s' ? `client ${row.client} → server` : `server → client ${row.client}`, `datagram ${row.packet}`, `message ${row.index + 1}`, row.type, row.delivery].filter(Boolean);
  const notes = [];
  if (row.error) notes.push(el('p', { class: 'note-error' }, el('span', { class: 'mark mark-error' }, 'error'), ' ', row.error));
  if (row.note) notes.push(el('p', { class: 'note' }, el('span', { class: 'mark mark-note' }, row.marks.includes('dialect') ? 'dialect' : 'note'), ' ', foreign(row.note)));
  const status = el('span', { class: 'copy-status', role: 'status' });
  const button = (text, click) => el('button', { type: 'button', class: 'small', click }, text);
  host.replaceChildren(
    el('header', { class: 'message-title' },
      el('h3', null, row.name || row.type),
      el('span', { class: 'message-player' }, foreign(row.player)),
      el('span', { class: 'message-facts' }, facts.join(' · ')),
      el('span', { class: 'message-buttons' }, status,
        button('Seek', () => seek(row.t)),
        button('Copy hex', () => copy(json.hex || datagram.hex, status)),
        button('Copy JSON', () => copy(JSON.stringify(json, null, 2), status)),
        button('Close', close))),
    ...notes,
    new Bytes('datagram', datagram.hex, datagram.spans).node,
    ...(payload ? [new Bytes('reassembled payload', payload.hex, payload.spans).node] : []));
  host.scrollTop = 0;
}

function close() {
  set('message', null);
  $('#message-list [tabindex="0"]')?.focus();
}

async function copy(text, status) {
  try {
    await navigator.clipboard.writeText(text);
    write(status, 'Copied');
  } catch {
    write(status, 'The browser does not allow copying.');
  }
}

export function start() {
  host.replaceChildren(hint());
  host.addEventListener('keydown', (e) => {
    if (e.key === 'Escape') close();
  });
  on('message', open);
  on('view', () => {
    if (!shown && app.message !== null) open(app.message);
  });
}
