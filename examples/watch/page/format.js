// Numbers and times as texts.

// clock formats a time of the recording: 1:02.5, or 1:02:03.5 from an hour on.
export function clock(seconds, digits = 1) {
  if (!Number.isFinite(seconds)) return '–';
  const unit = 10 ** digits;
  const ticks = Math.round(Math.abs(seconds) * unit);
  const sign = seconds < 0 && ticks > 0 ? '−' : '';
  const s = ticks / unit;
  const two = (n, fraction = 0) => n.toFixed(fraction).padStart(fraction ? 3 + fraction : 2, '0');
  const hours = Math.floor(s / 3600);
  const minutes = Math.floor(s / 60) % 60;
  const rest = two(s % 60, digits);
  return hours ? `${sign}${hours}:${two(minutes)}:${rest}` : `${sign}${minutes}:${rest}`;
}

export function percent(fraction) {
  if (fraction == null) return '–';
  if (fraction > 0 && fraction < 0.01) return '1 %';
  if (fraction < 1 && fraction > 0.99) return '99 %';
  return `${Math.round(fraction * 100)} %`;
}

const groups = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

export const number = (n) => (n == null ? '–' : groups.format(n));

// short formats a number for an axis: 1.2k.
export function short(n) {
  if (n == null) return '–';
  if (Math.abs(n) >= 1e6) return `${+(n / 1e6).toFixed(1)}M`;
  if (Math.abs(n) >= 1e3) return `${+(n / 1e3).toFixed(1)}k`;
  return String(+n.toFixed(n < 10 ? 1 : 0));
}

export const signed = (n) => (n < 0 ? `−${Math.round(-n)}` : `+${Math.round(n)}`);

export const megabytes = (n) => (n >= 2 ** 30 ? `${number(n / 2 ** 30)} GB` : `${number(n / 2 ** 20)} MB`);

export function plural(n, word) {
  return `${number(n)} ${word}${n === 1 ? '' : 's'}`;
}

export function vector(v) {
  return v ? v.map((n) => Math.round(n)).join(', ').replaceAll('-', '−') : 'unknown';
}

// level classifies a fraction for its colour.
export function level(fraction) {
  if (fraction == null) return 'none';
  if (fraction > 0.66) return 'good';
  return fraction > 0.33 ? 'fair' : 'poor';
}

export const clamp = (x, low, high) => Math.min(high, Math.max(low, x));
