// The answer of /api/traffic, shared by the timeline and the view.

import { get } from './api.js';
import { app, on } from '../state.js';

const SHARE = 30; // while a file loads, counting the traffic again takes at most this part of the time

let pending = null;
let last = null;
let fresh = 0; // until this time, the last answer is used while a file loads

// load requests the traffic. Calls at the same time share one request.
export function load() {
  if (last && app.info?.loading && performance.now() < fresh) return last;
  const began = performance.now();
  pending ??= get('traffic').then((answer) => {
    last = answer;
    fresh = performance.now() + SHARE * (performance.now() - began);
    return answer;
  }).finally(() => {
    pending = null;
  });
  return pending;
}

on('restart', () => {
  last = null;
});
