// Outlines of the ships from above, nose up, in a square from -12 to 12. They show the kind of a
// ship, not its true form.

const PATHS = {
  starship: 'M0-11C4.4-11 6.8-7.7 6.8-4.6C6.8-1.2 4.4 1.2 1.9 1.9L1.9 3.4L4.5 4.6L4.5 2.4L6.3 2.4L6.3 11L4.5 11L4.5 6.8L1.6 5.9L1.1 9.4L-1.1 9.4L-1.6 5.9L-4.5 6.8L-4.5 11L-6.3 11L-6.3 2.4L-4.5 2.4L-4.5 4.6L-1.9 3.4L-1.9 1.9C-4.4 1.2-6.8-1.2-6.8-4.6C-6.8-7.7-4.4-11 0-11Z',
  romulan: 'M0-11L1.9-8.4L2.5-4.2L8.6-1.4L11 3.6L9.6 8.4L7.2 4.8L3.1 3.2L1.9 9L0 11L-1.9 9L-3.1 3.2L-7.2 4.8L-9.6 8.4L-11 3.6L-8.6-1.4L-2.5-4.2L-1.9-8.4Z',
  klingon: 'M0-11L2-9.4L1.7-7.2L1.1-5L1.5-.4L5-.2L9.8-2.4L11 1.6L7.6 8.6L6.4 5.6L3.2 5.8L1.9 9.2L-1.9 9.2L-3.2 5.8L-6.4 5.6L-7.6 8.6L-11 1.6L-9.8-2.4L-5-.2L-1.5-.4L-1.1-5L-1.7-7.2L-2-9.4Z',
  cardassian: 'M0-11C1.6-11 2.5-9.2 3-6L6.5-2.6C9-.6 9.4 2.2 8.2 4L4.2 2.6L2.2 3.6L1.3 11L-1.3 11L-2.2 3.6L-4.2 2.6L-8.2 4C-9.4 2.2-9-.6-6.5-2.6L-3-6C-2.5-9.2-1.6-11 0-11Z',
  ferengi: 'M-3.4-9.6C-3.2-5-2-2.6 0-2.6C2-2.6 3.2-5 3.4-9.6L6-10.4C10.2-6.4 11.2 2 8 7.4L4 10.4L-4 10.4L-8 7.4C-11.2 2-10.2-6.4-6-10.4Z',
  kessok: 'M0-11L4.6-3.6L9 6L4.4 4.6L2 11L-2 11L-4.4 4.6L-9 6L-4.6-3.6Z',
  freighter: 'M0-10.6L3-7.4L3-4L4.8-4L4.8 7.4L2.6 7.4L2.6 10.4L-2.6 10.4L-2.6 7.4L-4.8 7.4L-4.8-4L-3-4L-3-7.4Z',
  small: 'M0-8L4.6 5L2.6 7L-2.6 7L-4.6 5Z',
  station: 'M0-11L2.4-4.2L9.5-5.5L4.8 0L9.5 5.5L2.4 4.2L0 11L-2.4 4.2L-9.5 5.5L-4.8 0L-9.5-5.5L-2.4-4.2Z',
  rock: 'M-2-9L4-8L8-3L7 4L2 8.6L-4 8L-8.6 3L-7.6-4Z',
  arrow: 'M0-11L7 9L0 5L-7 9Z',
};

const CLASSES = [
  [/array|station|starbase|outpost|facility|dry dock|communications/i, 'station'],
  [/asteroid/i, 'rock'],
  [/shuttle|probe|decoy|pod|mine|sunbuster/i, 'small'],
  [/freighter|transport/i, 'freighter'],
  [/akira|ambassador|galaxy|nebula|sovereign|enterprise|geronimo|peregrine/i, 'starship'],
  [/bird of prey|vor'?cha/i, 'klingon'],
  [/warbird/i, 'romulan'],
  [/marauder/i, 'ferengi'],
  [/galor|keldon|cardassian|amagon/i, 'cardassian'],
  [/kessok/i, 'kessok'],
];

// outline returns the path of a class in the syntax of SVG.
export function outline(className) {
  const found = CLASSES.find(([pattern]) => pattern.test(className ?? ''));
  return PATHS[found?.[1] ?? 'arrow'];
}

const made = new Map();

// path returns the outline of a class for a canvas.
export function path(className) {
  let p = made.get(className);
  if (!p) {
    if (made.size > 100) made.clear();
    p = new Path2D(outline(className));
    made.set(className, p);
  }
  return p;
}
