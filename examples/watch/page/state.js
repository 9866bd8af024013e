// The state that the modules share, and the signals by which they learn of changes.
//
// Topics: info, window, world, time, events, link, select, follow, view, message, play, live,
// theme, layout.

export const app = {
  info: null, // the last answer of /api/info
  link: 0,
  time: 0, // where the playback is; the world may lag behind while a window loads
  playing: false,
  speed: 1,
  live: false, // the page follows the end of a live match
  follow: null, // the ID of a ship
  action: false, // the map shows where the fight is
  selected: null, // the ID of a ship
  message: null, // the number of a message
  view: 'radar',
  theme: 'dark',
};

const listeners = new Map();

export function on(topic, listener) {
  for (const name of topic.split(' ')) {
    if (!listeners.has(name)) listeners.set(name, []);
    listeners.get(name).push(listener);
  }
}

export function emit(topic, value) {
  for (const listener of listeners.get(topic) ?? []) listener(value);
}

// set changes a value of the state and announces it under a topic of the same meaning.
export function set(key, value, topic = key) {
  if (app[key] === value) return;
  app[key] = value;
  emit(topic, value);
}

export const errors = [];

// report keeps an error for the tests and shows it to developers.
export function report(error) {
  errors.push(String(error?.stack ?? error));
  console.error(error);
}
