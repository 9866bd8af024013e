// The answer of /api/traffic, shared by the timeline and the view.

import { get } from './api.js';

let pending = null;

// load requests the traffic. Calls at the same time share one request.
export function load() {
  pending ??= get('traffic').finally(() => {
    pending = null;
  });
  return pending;
}
