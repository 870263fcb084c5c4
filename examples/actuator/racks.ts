// The cloud of this example: racks that are reserved for a cluster. A real provider would call an API.

export interface Racks {
  /** Reserves racks. Idempotent. `owner` identifies the reservation. Throws if the rack is not available. */
  reserve(rack: string, owner: string): Promise<void>;
  /** Releases all reservations of this owner, if there are any. */
  release(owner: string): Promise<void>;
}

interface RacksInMemory extends Racks {
  /** Names of the reserved racks. */
  reserved(): readonly string[];
  /** While this is true, reservations fail. */
  setBroken(broken: boolean): void;
}

export function createRacksInMemory(): RacksInMemory {
  const owners = new Map<string, Set<string>>();
  let isBroken = false;
  return {
    async reserve(rack, owner) {
      if (isBroken) {
        throw new Error(`Reserving rack ${rack} failed: the inventory does not answer`);
      }
      owners.set(owner, (owners.get(owner) ?? new Set()).add(rack));
    },
    async release(owner) {
      owners.delete(owner);
    },
    reserved: () => [...owners.values()].flatMap(racks => [...racks]),
    setBroken(broken) {
      isBroken = broken;
    },
  };
}
