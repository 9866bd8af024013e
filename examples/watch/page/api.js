// Requests to the program, and whether it answers.

import { emit } from './state.js';

// Failure is an answer that is not a success. Its status is 0 if there was no answer.
export class Failure extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export const health = { down: false, attempt: 0, next: 0 };

// get requests a path with the parameters that are not null or empty.
export async function get(path, parameters = {}, signal = undefined) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters)) {
    if (value != null && value !== '') query.set(key, value);
  }
  const text = query.toString();
  let response;
  try {
    response = await fetch(`/api/${path}${text && `?${text}`}`, { signal, cache: 'no-store' });
  } catch (cause) {
    if (cause.name === 'AbortError') throw cause;
    down();
    throw new Failure(0, 'The program does not answer.');
  }
  let answer = null;
  try {
    answer = await response.json();
  } catch (cause) {
    if (cause.name === 'AbortError') throw cause;
    if (response.ok) {
      down();
      throw new Failure(0, 'The answer of the program is incomplete.');
    }
  }
  if (!response.ok) throw new Failure(response.status, answer?.error ?? `The program answers with status ${response.status}.`);
  up();
  return answer;
}

export const aborted = (error) => error?.name === 'AbortError';

// down begins to ask again, at first soon, later every eight seconds.
function down() {
  if (health.down) return;
  health.down = true;
  health.attempt = 0;
  wait();
}

function wait() {
  const delay = Math.min(8000, 500 * 2 ** health.attempt);
  health.attempt++;
  health.next = performance.now() + delay;
  emit('health');
  health.timer = setTimeout(ask, delay);
}

// ask asks whether the program answers again.
export async function ask() {
  clearTimeout(health.timer);
  try {
    const response = await fetch('/api/info', { cache: 'no-store' });
    if (response.ok) return up();
  } catch {
    // The next attempt follows.
  }
  wait();
}

function up() {
  if (!health.down) return;
  clearTimeout(health.timer);
  health.down = false;
  emit('health');
  emit('back');
}
