// Requests to the program in a worker of this page, and the choice of the file that it reads.
// Nothing is sent anywhere: the policy of the page, which the worker inherits, forbids it.

import { Failure } from './failure.js';
import { $, write } from '../dom.js';
import { megabytes } from '../format.js';
import { app, emit, on, set } from '../state.js';

export const LOCAL = true;

const SAMPLE = 'sample.jsonl';
const LARGEST = 2 ** 30; // bytes of a file
const PATIENCE = 60_000; // milliseconds without an answer
const PROGRAM = 'The program watch, which you can download, reads files of any size.';

const panel = $('#start');
const views = $('#views');
const files = new Map(); // that were opened, by their names, for the way back
const waiting = new Map(); // number of a request → { resolve, reject, asked }
let newest = null; // the worker that was started last
let worker = null; // it, once it reads a file
let settled = null; // the worker whose file has no match
let heard = 0; // when the worker answered
let number = 0;
let wishes = 0; // for files; the last one counts
let parts = null; // a promise of the files of the worker
let begin = () => {};

// ask returns the status and the text of an answer.
export function ask(name, query, signal) {
  return new Promise((resolve, reject) => {
    if (!worker) return reject(new Failure(0, 'Open a file first.'));
    const id = ++number;
    waiting.set(id, { resolve, reject, asked: performance.now() });
    signal?.addEventListener('abort', () => {
      if (waiting.delete(id)) reject(new DOMException('', 'AbortError'));
    });
    worker.postMessage({ id, name, query });
  });
}

// load fetches the program and the source of its worker.
async function load() {
  const answers = await Promise.all(['wasm_exec.js', 'backend/worker.js', 'watch.wasm.gz'].map((name) => fetch(name)));
  const bad = answers.find((answer) => !answer.ok);
  if (bad) throw new Error(`${bad.url}: ${bad.status}`);
  const [runtime, source, wasm] = await Promise.all(answers.map((answer) => answer.blob()));
  return { source: URL.createObjectURL(new Blob([runtime, '\n', source], { type: 'text/javascript' })), wasm };
}

// open shows a file. It is a step of the history, unless the address has asked for it.
async function open(file, asked = false) {
  if (typeof WebAssembly !== 'object' || typeof DecompressionStream !== 'function') {
    return fail('This browser is too old for this page: it has no WebAssembly or no DecompressionStream. A current Firefox, Chrome, Edge or Safari can show the match.');
  }
  if (file.size > LARGEST) return fail(`${file.name} has ${megabytes(file.size)}, and this page reads up to ${megabytes(LARGEST)}. ${PROGRAM}`);
  if (file.size === 0) return fail(`${file.name} is empty, or a folder.`);
  const mine = ++wishes;
  stop('Another file was opened.');
  say(`Opening ${file.name} …`);
  try {
    parts ??= load();
    const { source, wasm } = await parts;
    if (mine !== wishes) return;
    await run(new Worker(source), { wasm, file, plain: $('#start-plain').checked });
  } catch (error) {
    if (mine !== wishes) return;
    parts = null;
    return fail(`The file cannot be opened: ${error.message}`);
  }
  if (!asked) history.pushState(null, '', location.pathname + location.hash);
  files.set(file.name, file);
  document.body.classList.remove('starting');
  hide();
  say('');
  begin();
}

// run starts a worker and waits until it reads the file.
function run(started, message) {
  newest = started;
  return new Promise((resolve, reject) => {
    const broken = (text) => {
      if (newest !== started) return;
      reject(new Error(text));
      die(text);
    };
    started.onerror = (e) => {
      e.preventDefault();
      broken(e.message || 'the worker cannot be started');
    };
    started.onmessage = ({ data }) => {
      if (newest !== started) return;
      heard = performance.now();
      if (data.opened) {
        worker = started;
        return resolve();
      }
      if (data.ended) return broken(data.ended);
      const request = waiting.get(data.id);
      waiting.delete(data.id);
      request?.resolve(data);
    };
    started.postMessage(message);
  });
}

// stop ends the worker and its requests.
function stop(reason) {
  newest?.terminate();
  newest = worker = null;
  for (const { reject } of waiting.values()) reject(new Failure(0, reason));
  waiting.clear();
}

// die tells that the worker has ended. The page can be used again.
function die(text) {
  stop('The worker has ended.');
  if (app.info) app.info.loading = false;
  emit('info', app.info);
  show();
  fail(`The part of this page that reads the match has stopped: ${text}. Open a file to begin again. ${PROGRAM}`);
}

// settle tells at the start of the page that a file has no match. Its messages, if there are any, can still be seen.
function settle(info) {
  if (!worker || settled === worker || !info || info.loading || info.links.length > 0) return;
  settled = worker;
  if (info.messages === 0) {
    stop('The file has no datagrams.');
    document.body.classList.add('starting');
  }
  fail(info.problem);
}

function watchdog() {
  const now = performance.now();
  const oldest = waiting.values().next().value;
  if (oldest && now - Math.max(heard, oldest.asked) > PATIENCE) die('it does not answer');
}

function say(text) {
  write($('#start-state'), text);
  write($('#start-error'), '');
}

function fail(text) {
  write($('#start-state'), '');
  write($('#start-error'), text);
  show();
}

function show() {
  panel.hidden = false;
  views.hidden = true;
  set('playing', false, 'play');
  $('#start-close').hidden = !worker;
}

function hide() {
  panel.hidden = true;
  views.hidden = false;
}

// moved follows the way back to the start of the page, to a match that was open before, and forward again.
function moved({ state }) {
  const wanted = asked();
  if (state?.start) show();
  else if (wanted && wanted !== app.info?.title && files.has(wanted)) open(files.get(wanted), true);
  else if (worker) hide();
}

// asked returns the name of the file that the address is about.
const asked = () => new URLSearchParams(location.hash.slice(1)).get('match');

// get opens a file from the server of the page.
async function get(url, name, fromAddress) {
  const mine = ++wishes;
  say(`Loading ${name} …`);
  try {
    const answer = await fetch(url);
    if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`);
    const file = new File([await answer.blob()], name);
    if (mine === wishes) await open(file, fromAddress);
  } catch (error) {
    if (mine === wishes) fail(`${name} cannot be opened: ${error.message}`);
  }
}

const sample = (fromAddress) => get(`${SAMPLE}.gz`, SAMPLE, fromAddress);

// beside opens a file that the address names: ?file=match.pcapng, from the server of the page only.
function beside(name) {
  const url = new URL(name, location.href);
  if (url.origin !== location.origin) return fail(`${name} is not on the server of this page, and the page loads nothing from elsewhere.`);
  return get(url, decodeURIComponent(url.pathname.split('/').pop()) || name, true);
}

function drops() {
  let over = 0;
  const mark = (n) => {
    panel.classList.toggle('over', (over = n) > 0);
    if (!over && worker) hide();
  };
  window.addEventListener('dragenter', (e) => {
    e.preventDefault();
    show();
    mark(over + 1);
  });
  window.addEventListener('dragleave', () => mark(over - 1));
  window.addEventListener('dragover', (e) => e.preventDefault());
  window.addEventListener('drop', (e) => {
    e.preventDefault();
    mark(0);
    const [file] = e.dataTransfer.files;
    if (file) open(file);
  });
}

// start lets the user choose files. It calls listener for each one that is opened.
export function start(listener) {
  begin = listener;
  document.body.classList.add('local', 'starting');
  $('#start-file').addEventListener('change', (e) => {
    const [file] = e.target.files;
    if (file) open(file);
    e.target.value = ''; // the same file can be chosen again
  });
  $('#start-sample').addEventListener('click', () => sample());
  $('#start-close').addEventListener('click', () => (history.state?.start ? history.forward() : hide()));
  $('#open').hidden = false;
  $('#open').addEventListener('click', () => {
    show();
    $('#start-file').focus();
  });
  drops();
  on('info', settle);
  setInterval(watchdog, 1000);
  show();
  parts = load();
  parts.catch(() => {
    parts = null; // and open tries again
  });
  window.addEventListener('popstate', moved);
  const file = new URLSearchParams(location.search).get('file');
  const wanted = asked();
  if (file) return beside(file);
  if (wanted === SAMPLE) return sample(true);
  history.replaceState({ start: true }, '');
  if (wanted) say(`This link shows a moment of ${wanted.slice(0, 200)}. Open that file.`);
}
