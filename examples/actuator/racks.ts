// What stands for the cloud of this example: racks that are reserved for a cluster. A real provider calls an API here.

export interface Racks {
  /** The same answer however often it is asked. `owner` tells reservations apart. Throws when the rack cannot be had. */
  reserve(rack: string, owner: string): Promise<void>;
  /** Everything that this owner reserved; nothing is fine too. */
  release(owner: string): Promise<void>;
}

export interface RacksInMemory extends Racks {
  /** Names of the reserved racks. */
  reserved(): readonly string[];
  /** As long as it is broken, nothing can be reserved. */
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
