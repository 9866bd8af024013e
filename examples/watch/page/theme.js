// The theme: that of the system until the button chooses one, which is remembered.

import { $, attribute } from './dom.js';
import { app, emit } from './state.js';

const system = matchMedia('(prefers-color-scheme: light)');

function apply(theme) {
  app.theme = theme;
  document.documentElement.dataset.theme = theme;
  const other = theme === 'dark' ? 'light' : 'dark';
  attribute($('#theme'), 'aria-label', `Switch to the ${other} theme`);
  attribute($('#theme'), 'title', `Switch to the ${other} theme (t)`);
  emit('theme', theme);
}

function kept() {
  try {
    return localStorage.getItem('theme');
  } catch {
    return null;
  }
}

export function switchTheme() {
  const theme = app.theme === 'dark' ? 'light' : 'dark';
  try {
    localStorage.setItem('theme', theme);
  } catch {
    // The choice holds until the page is closed.
  }
  apply(theme);
}

export function start() {
  apply(document.documentElement.dataset.theme === 'light' ? 'light' : 'dark');
  $('#theme').addEventListener('click', switchTheme);
  let before = '';
  window.addEventListener('beforeprint', () => {
    before = app.theme;
    apply('light');
  });
  window.addEventListener('afterprint', () => apply(before));
  system.addEventListener('change', () => {
    if (!kept()) apply(system.matches ? 'light' : 'dark');
  });
}
