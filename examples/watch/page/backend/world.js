// The world: players and ships as the messages of one link describe them, without interpolation.

class World {
  constructor() {
    this.clear(0);
  }

  clear(time) {
    this.time = time;
    this.players = new Map();
    this.ships = new Map();
  }

  // load replaces the world by a snapshot. Ships are copied, because apply changes them; their
  // states are replaced as a whole and can be shared.
  load(snapshot, time) {
    this.clear(time);
    for (const player of snapshot.players) this.players.set(player.peer, player);
    for (const ship of snapshot.ships) this.ships.set(ship.id, copy(ship));
  }

  apply(change) {
    switch (change.kind) {
      case 'create':
        this.ships.set(change.ship.id, copy(change.ship));
        break;
      case 'motion':
        this.#motion(change);
        break;
      case 'state':
        this.#state(change);
        break;
      case 'dying': {
        const ship = this.ships.get(change.id);
        if (ship) ship.life = 'dying';
        break;
      }
      case 'remove':
        this.ships.delete(change.id);
        break;
      case 'player':
        this.#player(change.player);
        break;
      case 'reset':
        this.ships.clear();
    }
    if (change.t > this.time) this.time = change.t;
  }

  // The ships have the name and the team of the player, unless another one now has the peer ID.
  #player(player) {
    const old = this.players.get(player.peer);
    this.players.set(player.peer, player);
    if (old && !old.here && player.here) return;
    for (const ship of this.ships.values()) {
      if (ship.peer === player.peer && (!old || ship.name === old.name)) {
        ship.name = player.name || ship.name;
        ship.team = player.team;
      }
    }
  }

  #motion(change) {
    const ship = this.ships.get(change.id);
    if (!ship) return;
    for (const key of ['position', 'forward', 'up', 'speed', 'cloaked']) {
      if (key in change) ship[key] = change[key];
    }
    ship.t = change.t;
  }

  #state(change) {
    const ship = this.ships.get(change.id);
    if (!ship) return;
    for (const state of change.state) {
      const i = ship.state.findIndex((old) => old.i === state.i);
      if (i < 0) ship.state.push(state);
      else ship.state[i] = state;
    }
  }
}

function copy(ship) {
  return { ...ship, state: ship.state.slice() };
}

// Queries about one ship.

export function stateOf(ship, kind) {
  const i = ship.systems.findIndex((system) => system.kind === kind);
  return i < 0 ? null : ship.state[i];
}

// hull returns the condition of the hull. A bridge is of the same kind.
export function hull(ship) {
  const i = ship.systems.findIndex((system) => system.name === 'Hull');
  return (i < 0 ? stateOf(ship, 'hull') : ship.state[i])?.condition ?? null;
}

// shields returns the mean of the six facings.
export function shields(ship) {
  const facings = stateOf(ship, 'shield')?.facings;
  return facings ? facings.reduce((sum, x) => sum + x, 0) / facings.length : null;
}

export const world = new World();
