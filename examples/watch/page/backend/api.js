// Requests to the program, and whether it answers.

import { ask as request } from './backend.js';
import { Failure } from './failure.js';
import { emit } from '../state.js';

export const health = { down: false, attempt: 0, next: 0 };

// get makes a call with the parameters that are not null or empty.
export async function get(name, parameters = {}, signal = undefined) {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters)) {
    if (value != null && value !== '') query.set(key, value);
  }
  let answer;
  try {
    answer = await request(name, query.toString(), signal);
  } catch (cause) {
    if (cause.name === 'AbortError' || cause instanceof Failure) throw cause;
    down();
    throw new Failure(0, 'The program does not answer.');
  }
  const { status, body } = answer;
  let value = null;
  try {
    value = JSON.parse(body);
  } catch {
    if (status === 200) {
      down();
      throw new Failure(0, 'The answer of the program is incomplete.');
    }
  }
  if (status !== 200) throw new Failure(status, value?.error ?? `The program answers with status ${status}.`);
  up();
  return value;
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
    if ((await request('info', '')).status === 200) return up();
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
