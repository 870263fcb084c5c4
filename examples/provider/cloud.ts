// What the provider asks of the cloud of Harbour, and a cloud in memory that answers. Each method is one call; all is found by name.

export interface Network {
  readonly name: string;
  readonly region: string;
  readonly cidr: string;
  readonly state: 'creating' | 'active' | 'deleting';
}
export interface Berth {
  readonly name: string;
  readonly network: string;
  readonly attributes: Readonly<Record<string, string>>;
}
export interface Gateway {
  readonly name: string;
  readonly network: string;
  readonly state: 'pending' | 'attaching' | 'attached' | 'detaching';
}
export interface LoadBalancer {
  readonly name: string;
  readonly gateway: string;
  readonly state: 'creating' | 'active' | 'deleting';
  /** Once it is active. */
  readonly address: string | undefined;
}

/** Too much is there; the cloud says when to ask again. */
export class QuotaExceeded extends Error {
  readonly retryAfter: number;
  constructor(message: string, retryAfter: number) {
    super(message);
    this.retryAfter = retryAfter;
  }
}
/** The cloud will never make this network. */
export class NetworkRefused extends Error {}
/** Another network has (some of) these addresses. */
export class NetworkOverlap extends Error {}
/** Something of this name is there. */
export class Duplicate extends Error {}

export interface Cloud {
  findNetwork(name: string): Promise<Network | undefined>;
  createNetwork(network: Pick<Network, 'name' | 'region' | 'cidr'>): Promise<void>;
  deleteNetwork(name: string): Promise<void>;
  listBerths(network: string): Promise<readonly Berth[]>;
  createBerth(berth: Berth): Promise<void>;
  deleteBerth(network: string, name: string): Promise<void>;
  findGateway(name: string): Promise<Gateway | undefined>;
  createGateway(gateway: Pick<Gateway, 'name' | 'network'>): Promise<void>;
  deleteGateway(name: string): Promise<void>;
  findLoadBalancer(name: string): Promise<LoadBalancer | undefined>;
  createLoadBalancer(balancer: Pick<LoadBalancer, 'name' | 'gateway'>): Promise<void>;
  deleteLoadBalancer(name: string): Promise<void>;
}

export interface CloudInMemory extends Cloud {
  /** The names of all that there is, in the order in which it was made. */
  names(): readonly string[];
  /** Each call that changed something, in order. */
  readonly calls: readonly string[];
  /** As long as it is broken, it makes nothing and gateways are off their networks; it can be asked, and removes. */
  setBroken(isBroken: boolean): void;
  /** As long as it is unreachable, no call is answered. */
  setUnreachable(isUnreachable: boolean): void;
  /** The gateways fall off their networks, and come up again. */
  detachGateways(): void;
}

/** First and last address. Throws NetworkRefused where it is no private IPv4 network. */
export function rangeOf(cidr: string): readonly [number, number] {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(cidr);
  const [a = 256, b = 256, c = 256, d = 256, length = 33] = (match ?? []).slice(1).map(Number);
  if (match === null || Math.max(a, b, c, d) > 255 || length > 28) {
    throw new NetworkRefused(`${cidr} is no network of IPv4 of at least a /28`);
  }
  const isPrivate =
    (a === 10 && length >= 8) ||
    (a === 172 && b >= 16 && b < 32 && length >= 12) ||
    (a === 192 && b === 168 && length >= 16);
  if (!isPrivate) {
    throw new NetworkRefused(`${cidr} is not private: 10.0.0.0/8, 172.16.0.0/12 and 192.168.0.0/16 are`);
  }
  const size = 2 ** (32 - length);
  const first = Math.floor((((a * 256 + b) * 256 + c) * 256 + d) / size) * size;
  return [first, first + size - 1];
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/**
 * What it makes and removes takes a question or more. Names are unique; what others stand on cannot be removed. It forgets
 * everything when its process ends. `quotas` are networks per region.
 */
export function createCloudInMemory({
  quotas = { atoll: 1 } as Readonly<Record<string, number>>,
  retryAfter = 20,
} = {}): CloudInMemory {
  const networks = new Map<string, Mutable<Network>>();
  const berths = new Map<string, Berth>();
  const gateways = new Map<string, Mutable<Gateway>>();
  const balancers = new Map<string, Mutable<LoadBalancer>>();
  const calls: string[] = [];
  let isBroken = false;
  let isUnreachable = false;

  function answer(call?: string) {
    if (isUnreachable) {
      throw new Error('The cloud of Harbour does not answer');
    }
    if (isBroken && call?.startsWith('create') === true) {
      throw new Error(`The cloud of Harbour makes nothing: ${call}`);
    }
    if (call !== undefined) {
      calls.push(call);
    }
  }
  function refuseDuplicate(map: ReadonlyMap<string, unknown>, name: string) {
    if (map.has(name)) {
      throw new Duplicate(`${name} exists`);
    }
  }
  function refuseInUse(users: Iterable<{ readonly name: string }>, name: string) {
    for (const user of users) {
      throw new Error(`${name} is in use by ${user.name}`);
    }
  }
  function detachGateways() {
    for (const gateway of gateways.values()) {
      gateway.state = gateway.state === 'detaching' ? 'detaching' : 'pending';
    }
  }
  const onNetwork = <T extends { readonly network: string }>(map: ReadonlyMap<string, T>, network: string) =>
    [...map.values()].filter(one => one.network === network);

  return {
    calls,
    names: () => [...networks.keys(), ...berths.keys(), ...gateways.keys(), ...balancers.keys()],
    setBroken(broken) {
      isBroken = broken;
      if (broken) {
        detachGateways();
      }
    },
    setUnreachable(unreachable) {
      isUnreachable = unreachable;
    },
    detachGateways,

    async findNetwork(name) {
      answer();
      const network = networks.get(name);
      if (network === undefined) {
        return undefined;
      }
      const seen = { ...network };
      if (network.state === 'creating') {
        network.state = 'active';
      } else if (network.state === 'deleting') {
        networks.delete(name);
      }
      return seen;
    },
    async createNetwork({ name, region, cidr }) {
      answer(`create network ${name}`);
      refuseDuplicate(networks, name);
      const [first, last] = rangeOf(cidr);
      const neighbours = [...networks.values()].filter(other => other.region === region);
      for (const other of neighbours) {
        const [otherFirst, otherLast] = rangeOf(other.cidr);
        if (first <= otherLast && otherFirst <= last) {
          throw new NetworkOverlap(`${cidr} overlaps ${other.cidr} of network ${other.name} in region ${region}`);
        }
      }
      const quota = quotas[region] ?? Number.POSITIVE_INFINITY;
      if (neighbours.length >= quota) {
        throw new QuotaExceeded(`Region ${region} has its ${quota} networks`, retryAfter);
      }
      networks.set(name, { name, region, cidr, state: 'creating' });
    },
    async deleteNetwork(name) {
      answer(`delete network ${name}`);
      refuseInUse([...onNetwork(berths, name), ...onNetwork(gateways, name)], name);
      const network = networks.get(name);
      if (network !== undefined) {
        network.state = 'deleting';
      }
    },

    async listBerths(network) {
      answer();
      return onNetwork(berths, network);
    },
    async createBerth(berth) {
      answer(`create berth ${berth.network}/${berth.name}`);
      refuseDuplicate(berths, `${berth.network}/${berth.name}`);
      berths.set(`${berth.network}/${berth.name}`, berth);
    },
    async deleteBerth(network, name) {
      answer(`delete berth ${network}/${name}`);
      berths.delete(`${network}/${name}`);
    },

    async findGateway(name) {
      answer();
      const gateway = gateways.get(name);
      if (gateway === undefined) {
        return undefined;
      }
      const seen = { ...gateway };
      if (gateway.state === 'pending') {
        gateway.state = isBroken ? 'pending' : 'attaching';
      } else if (gateway.state === 'attaching') {
        gateway.state = 'attached';
      } else if (gateway.state === 'detaching') {
        gateways.delete(name);
      }
      return seen;
    },
    async createGateway({ name, network }) {
      answer(`create gateway ${name}`);
      refuseDuplicate(gateways, name);
      if (networks.get(network)?.state !== 'active') {
        throw new Error(`Network ${network} is not active`);
      }
      gateways.set(name, { name, network, state: 'pending' });
    },
    async deleteGateway(name) {
      answer(`delete gateway ${name}`);
      refuseInUse(
        [...balancers.values()].filter(({ gateway }) => gateway === name),
        name,
      );
      const gateway = gateways.get(name);
      if (gateway !== undefined) {
        gateway.state = 'detaching';
      }
    },

    async findLoadBalancer(name) {
      answer();
      const balancer = balancers.get(name);
      if (balancer === undefined) {
        return undefined;
      }
      const seen = { ...balancer };
      if (balancer.state === 'creating') {
        balancer.state = 'active';
        balancer.address = `${name}.harbour.example`;
      } else if (balancer.state === 'deleting') {
        balancers.delete(name);
      }
      return seen;
    },
    async createLoadBalancer({ name, gateway }) {
      answer(`create load balancer ${name}`);
      refuseDuplicate(balancers, name);
      if (gateways.get(gateway)?.state !== 'attached') {
        throw new Error(`Gateway ${gateway} is not attached`);
      }
      balancers.set(name, { name, gateway, state: 'creating', address: undefined });
    },
    async deleteLoadBalancer(name) {
      answer(`delete load balancer ${name}`);
      const balancer = balancers.get(name);
      if (balancer !== undefined) {
        balancer.state = 'deleting';
      }
    },
  };
}
