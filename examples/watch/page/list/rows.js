// The rows of the message table: pages are requested when they come into sight, and a bounded
// number of them is kept.

import { aborted, get } from '../backend/api.js';
import { debounced } from '../dom.js';

const PAGE = 100;
const KEPT = 60;

export class Rows {
  // changed is called when a page or the total is there.
  constructor(changed) {
    this.changed = changed;
    this.filters = {};
    this.total = 0;
    this.error = '';
    this.loading = false;
    this.finds = 0;
    this.asked = 0; // the number of the last request
    this.newest = 0; // the request that has told the total
    this.pages = new Map();
    this.wanted = new Set();
    this.controller = new AbortController();
    this.fetch = debounced(() => this.#fetch(), 15);
  }

  // reset begins again with other filters.
  reset(filters) {
    this.controller.abort();
    this.controller = new AbortController();
    this.filters = filters;
    this.pages.clear();
    this.wanted.clear();
    this.total = 0;
    this.loading = true;
    this.wanted.add(0);
    this.fetch();
  }

  // at returns a row, or null while its page is requested.
  at(index) {
    const n = Math.floor(index / PAGE);
    const page = this.pages.get(n);
    if (page) {
      this.pages.delete(n);
      this.pages.set(n, page);
      if (page[index % PAGE]) return page[index % PAGE];
    }
    if (index < this.total) {
      this.wanted.add(n);
      this.fetch();
    }
    return null;
  }

  // grow asks for the total again, in a match that goes on.
  grow() {
    this.wanted.add(Math.floor(this.total / PAGE));
    this.fetch();
  }

  // ask makes a request, and takes the total unless a later request has told it: answers may overtake each other, and a
  // list that shrinks loses its place.
  async #ask(where, controller) {
    const mine = ++this.asked;
    const answer = await get('messages', { ...this.filters, ...where }, controller.signal);
    if (controller === this.controller && mine > this.newest) {
      this.newest = mine;
      this.total = answer.total;
    }
    return answer;
  }

  async #fetch() {
    const wanted = [...this.wanted].slice(-4);
    this.wanted.clear();
    const { controller } = this;
    await Promise.all(wanted.map((n) => this.#page(n, controller)));
  }

  async #page(n, controller) {
    try {
      const answer = await this.#ask({ from: n * PAGE, count: PAGE }, controller);
      if (controller !== this.controller) return;
      this.pages.delete(n);
      this.pages.set(n, answer.rows);
      while (this.pages.size > KEPT) this.pages.delete(this.pages.keys().next().value);
      this.error = '';
      this.loading = !answer.done;
      if (this.loading) this.grow(); // which searches more
    } catch (error) {
      if (aborted(error) || controller !== this.controller) return;
      this.error = error.message;
      this.loading = false;
    }
    this.changed();
  }

  // find returns the index of the first row at a time, or of the row of a message; -1 if there is
  // none, and null if a later call or reset has overtaken this one.
  async find(where) {
    const mine = ++this.finds;
    try {
      const { controller } = this;
      let answer;
      do {
        answer = await this.#ask({ ...where, count: 1 }, controller);
        if (controller !== this.controller || mine !== this.finds) return null;
      } while (!answer.done && !answer.rows.length);
      this.changed();
      return answer.rows.length ? answer.from : -1;
    } catch (error) {
      if (!aborted(error)) this.error = error.message;
      return null;
    }
  }
}
