// Track is the motion of one ship over some seconds, for drawing between and behind the updates.

const STRIDE = 8; // time, position, forward, speed
const REACH = 1; // seconds of extrapolation beyond the last update
const GAP = 2.5; // seconds between updates that are still joined by a line

export class Track {
  constructor(ship) {
    this.id = ship.id;
    this.length = 0;
    this.points = new Float64Array(64 * STRIDE);
    this.last = { position: ship.position, forward: ship.forward, speed: ship.speed ?? 0 };
    this.born = null; // the time of its creation
    this.died = null;
    this.gone = Infinity;
  }

  // add appends what an update changes. A point needs a position.
  add(t, change) {
    const { last } = this;
    if (change.position !== undefined) last.position = change.position;
    if (change.forward !== undefined) last.forward = change.forward;
    if (change.speed !== undefined) last.speed = change.speed ?? 0;
    if (!last.position) return;
    if (this.length && t <= this.time(this.length - 1)) this.length--;
    if ((this.length + 1) * STRIDE > this.points.length) this.#grow();
    const [x, y, z] = last.position;
    const [fx, fy, fz] = last.forward ?? [0, 0, 0];
    const i = this.length++ * STRIDE;
    const { points } = this;
    points[i] = t;
    points[i + 1] = x;
    points[i + 2] = y;
    points[i + 3] = z;
    points[i + 4] = fx;
    points[i + 5] = fy;
    points[i + 6] = fz;
    points[i + 7] = last.speed;
  }

  #grow() {
    if (this.length >= 2048) {
      // A live match: the older half is out of sight.
      this.points.copyWithin(0, (this.length >> 1) * STRIDE, this.length * STRIDE);
      this.length -= this.length >> 1;
      return;
    }
    const larger = new Float64Array(this.points.length * 2);
    larger.set(this.points);
    this.points = larger;
  }

  time(i) {
    return this.points[i * STRIDE];
  }

  // before returns the index of the last point at or before a time, or -1.
  before(t) {
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.time(middle) <= t) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  // sample writes position and heading at a time to out and reports whether they are known.
  sample(t, out) {
    if (!this.length) return false;
    const i = Math.max(0, this.before(t));
    const { points } = this;
    const a = i * STRIDE;
    const b = a + STRIDE;
    const age = Math.max(0, t - points[a]);
    if (i + 1 < this.length && points[b] - points[a] < GAP) {
      const f = points[b] > points[a] ? Math.min(1, age / (points[b] - points[a])) : 0;
      out.x = points[a + 1] + (points[b + 1] - points[a + 1]) * f;
      out.y = points[a + 2] + (points[b + 2] - points[a + 2]) * f;
      out.z = points[a + 3] + (points[b + 3] - points[a + 3]) * f;
      out.fx = points[a + 4] + (points[b + 4] - points[a + 4]) * f;
      out.fy = points[a + 5] + (points[b + 5] - points[a + 5]) * f;
    } else {
      const way = points[a + 7] * Math.min(age, REACH);
      out.x = points[a + 1] + points[a + 4] * way;
      out.y = points[a + 2] + points[a + 5] * way;
      out.z = points[a + 3] + points[a + 6] * way;
      out.fx = points[a + 4];
      out.fy = points[a + 5];
    }
    out.speed = points[a + 7];
    out.age = age;
    return true;
  }

  x(i) {
    return this.points[i * STRIDE + 1];
  }

  y(i) {
    return this.points[i * STRIDE + 2];
  }

  z(i) {
    return this.points[i * STRIDE + 3];
  }
}
