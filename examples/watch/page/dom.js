// Helpers for elements. Text always becomes a text node, never markup.

const SVG = 'http://www.w3.org/2000/svg';

// el makes an element. Attributes that are functions become listeners; false and null are left out.
export function el(tag, attributes, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (typeof value === 'function') node.addEventListener(key, value);
    else if (value === true) node.setAttribute(key, '');
    else if (value !== false && value != null) node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child != null));
  return node;
}

export const $ = (selector, root = document) => root.querySelector(selector);

// foreign makes an element for a text of the match. Its direction and its bidirectional controls
// cannot reach the text around it.
export function foreign(text, className = '') {
  return el('bdi', { class: `foreign ${className}`, dir: 'auto' }, text ?? '');
}

// write sets a text only if it differs, so that a panel can be updated many times a second.
export function write(node, text) {
  const value = text == null ? '' : String(text);
  if (node.firstChild?.nodeType === Node.TEXT_NODE && node.childNodes.length === 1) {
    if (node.firstChild.data !== value) node.firstChild.data = value;
  } else if (node.textContent !== value) {
    node.textContent = value;
  }
}

export function attribute(node, name, value) {
  if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
}

export function toggle(node, className, on) {
  if (node.classList.contains(className) !== on) node.classList.toggle(className, on);
}

// throttled returns a function that calls fn at most once in an interval, and once more at the end.
export function throttled(fn, interval) {
  let last = -Infinity;
  let timer = 0;
  return () => {
    const wait = last + interval - performance.now();
    if (wait <= 0) {
      last = performance.now();
      fn();
    } else if (!timer) {
      timer = setTimeout(() => {
        timer = 0;
        last = performance.now();
        fn();
      }, wait);
    }
  };
}

export function debounced(fn, delay) {
  let timer = 0;
  return () => {
    clearTimeout(timer);
    timer = setTimeout(fn, delay);
  };
}

// resized calls fn after the size of an element has changed. The next frame is soon enough, and
// the layout that fn causes cannot call it again in the same frame.
export function resized(node, fn) {
  const observer = new ResizeObserver(() => requestAnimationFrame(fn));
  observer.observe(node);
  return observer;
}

export const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)');
