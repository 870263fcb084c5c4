// The API of the fictional cloud Harbour, and an in-memory implementation. Each method is one call. Resources are found
// by name.

interface Network {
  readonly name: string;
  readonly region: string;
  readonly cidr: string;
  readonly state: 'creating' | 'active' | 'deleting';
}
interface Berth {
  readonly name: string;
  readonly network: string;
  readonly attributes: Readonly<Record<string, string>>;
}
interface Gateway {
  readonly name: string;
  readonly network: string;
  readonly state: 'pending' | 'attaching' | 'attached' | 'detaching';
}
interface LoadBalancer {
  readonly name: string;
  readonly gateway: string;
  readonly state: 'creating' | 'active' | 'deleting';
  /** Set when the network is active. */
  readonly address: string | undefined;
}

/** The error if the quota is exceeded. It contains the time of the next try. */
export class QuotaExceeded extends Error {
  readonly retryAfter: number;
  constructor(message: string, retryAfter: number) {
    super(message);
    this.retryAfter = retryAfter;
  }
}
/** The error if the network is not valid, so that a retry cannot succeed. */
export class NetworkRefused extends Error {}
/** The error if the address range overlaps with another network. */
export class NetworkOverlap extends Error {}
/** The error if a resource with this name exists. */
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

interface CloudInMemory extends Cloud {
  /** The names of all resources, in the order of their creation. */
  names(): readonly string[];
  /** Every call that changed something, in order. */
  readonly calls: readonly string[];
  /** While this is true, creations fail and gateways are detached. Reads and deletions succeed. */
  setBroken(isBroken: boolean): void;
  /** While this is true, every call fails. */
  setUnreachable(isUnreachable: boolean): void;
  /** Detaches all gateways once. */
  detachGateways(): void;
}

/** Returns the first and last address. Throws NetworkRefused unless it is a private IPv4 network. */
export function rangeOf(cidr: string): readonly [number, number] {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(cidr);
  const [a = 256, b = 256, c = 256, d = 256, length = 33] = (match ?? []).slice(1).map(Number);
  if (match === null || Math.max(a, b, c, d) > 255 || length > 28) {
    throw new NetworkRefused(`${cidr} is not a network of IPv4 of at least a /28`);
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

interface CloudOptions {
  /** The maximum number of networks per region. Default: one in `atoll`, no limit elsewhere. */
  readonly quotas?: Readonly<Record<string, number>>;
  /** The seconds after which a refused creation may be retried. Default: 20. */
  readonly retryAfter?: number;
}

/**
 * Creates the cloud. Creations and deletions take effect after one or more reads. Names are unique. A resource in use
 * cannot be deleted. The state exists as long as the process.
 */
export function createCloudInMemory(options: CloudOptions = {}): CloudInMemory {
  return new HarbourInMemory(options);
}

class HarbourInMemory implements CloudInMemory {
  readonly calls: string[] = [];
  readonly #networks = new Map<string, Mutable<Network>>();
  readonly #berths = new Map<string, Berth>();
  readonly #gateways = new Map<string, Mutable<Gateway>>();
  readonly #balancers = new Map<string, Mutable<LoadBalancer>>();
  readonly #options: Required<CloudOptions>;
  #isBroken = false;
  #isUnreachable = false;

  constructor({ quotas = { atoll: 1 }, retryAfter = 20 }: CloudOptions) {
    this.#options = { quotas, retryAfter };
  }

  names(): readonly string[] {
    return [this.#networks, this.#berths, this.#gateways, this.#balancers].flatMap(map => [...map.keys()]);
  }

  setBroken(isBroken: boolean): void {
    this.#isBroken = isBroken;
    if (isBroken) {
      this.detachGateways();
    }
  }

  setUnreachable(isUnreachable: boolean): void {
    this.#isUnreachable = isUnreachable;
  }

  detachGateways(): void {
    for (const gateway of this.#gateways.values()) {
      gateway.state = gateway.state === 'detaching' ? 'detaching' : 'pending';
    }
  }

  async findNetwork(name: string): Promise<Network | undefined> {
    this.#answer();
    const network = this.#networks.get(name);
    if (network === undefined) {
      return undefined;
    }
    const seen = { ...network };
    if (network.state === 'creating') {
      network.state = 'active';
    } else if (network.state === 'deleting') {
      this.#networks.delete(name);
    }
    return seen;
  }

  async createNetwork({ name, region, cidr }: Pick<Network, 'name' | 'region' | 'cidr'>): Promise<void> {
    this.#answer(`create network ${name}`);
    refuseDuplicate(this.#networks, name);
    const neighbours = [...this.#networks.values()].filter(other => other.region === region);
    const [first, last] = rangeOf(cidr);
    for (const other of neighbours) {
      const [otherFirst, otherLast] = rangeOf(other.cidr);
      if (first <= otherLast && otherFirst <= last) {
        throw new NetworkOverlap(`${cidr} overlaps ${other.cidr} of network ${other.name} in region ${region}`);
      }
    }
    const { quotas, retryAfter } = this.#options;
    const quota = quotas[region] ?? Number.POSITIVE_INFINITY;
    if (neighbours.length >= quota) {
      throw new QuotaExceeded(`Region ${region} has its ${quota} networks`, retryAfter);
    }
    this.#networks.set(name, { name, region, cidr, state: 'creating' });
  }

  async deleteNetwork(name: string): Promise<void> {
    this.#answer(`delete network ${name}`);
    refuseInUse([...onNetwork(this.#berths, name), ...onNetwork(this.#gateways, name)], name);
    const network = this.#networks.get(name);
    if (network !== undefined) {
      network.state = 'deleting';
    }
  }

  async listBerths(network: string): Promise<readonly Berth[]> {
    this.#answer();
    return onNetwork(this.#berths, network);
  }

  async createBerth(berth: Berth): Promise<void> {
    const key = `${berth.network}/${berth.name}`;
    this.#answer(`create berth ${key}`);
    refuseDuplicate(this.#berths, key);
    this.#berths.set(key, berth);
  }

  async deleteBerth(network: string, name: string): Promise<void> {
    this.#answer(`delete berth ${network}/${name}`);
    this.#berths.delete(`${network}/${name}`);
  }

  async findGateway(name: string): Promise<Gateway | undefined> {
    this.#answer();
    const gateway = this.#gateways.get(name);
    if (gateway === undefined) {
      return undefined;
    }
    const seen = { ...gateway };
    if (gateway.state === 'pending') {
      gateway.state = this.#isBroken ? 'pending' : 'attaching';
    } else if (gateway.state === 'attaching') {
      gateway.state = 'attached';
    } else if (gateway.state === 'detaching') {
      this.#gateways.delete(name);
    }
    return seen;
  }

  async createGateway({ name, network }: Pick<Gateway, 'name' | 'network'>): Promise<void> {
    this.#answer(`create gateway ${name}`);
    refuseDuplicate(this.#gateways, name);
    if (this.#networks.get(network)?.state !== 'active') {
      throw new Error(`Network ${network} is not active`);
    }
    this.#gateways.set(name, { name, network, state: 'pending' });
  }

  async deleteGateway(name: string): Promise<void> {
    this.#answer(`delete gateway ${name}`);
    const users = [...this.#balancers.values()].filter(({ gateway }) => gateway === name);
    refuseInUse(users, name);
    const gateway = this.#gateways.get(name);
    if (gateway !== undefined) {
      gateway.state = 'detaching';
    }
  }

  async findLoadBalancer(name: string): Promise<LoadBalancer | undefined> {
    this.#answer();
    const balancer = this.#balancers.get(name);
    if (balancer === undefined) {
      return undefined;
    }
    const seen = { ...balancer };
    if (balancer.state === 'creating') {
      balancer.state = 'active';
      balancer.address = `${name}.harbour.example`;
    } else if (balancer.state === 'deleting') {
      this.#balancers.delete(name);
    }
    return seen;
  }

  async createLoadBalancer({ name, gateway }: Pick<LoadBalancer, 'name' | 'gateway'>): Promise<void> {
    this.#answer(`create load balancer ${name}`);
    refuseDuplicate(this.#balancers, name);
    if (this.#gateways.get(gateway)?.state !== 'attached') {
      throw new Error(`Gateway ${gateway} is not attached`);
    }
    this.#balancers.set(name, { name, gateway, state: 'creating', address: undefined });
  }

  async deleteLoadBalancer(name: string): Promise<void> {
    this.#answer(`delete load balancer ${name}`);
    const balancer = this.#balancers.get(name);
    if (balancer !== undefined) {
      balancer.state = 'deleting';
    }
  }

  /** Throws while the cloud does not answer or does not create. Otherwise records the call if it changes something. */
  #answer(call?: string): void {
    if (this.#isUnreachable) {
      throw new Error('The cloud of Harbour does not answer');
    }
    if (this.#isBroken && call?.startsWith('create') === true) {
      throw new Error(`The cloud of Harbour creates nothing: ${call}`);
    }
    if (call !== undefined) {
      this.calls.push(call);
    }
  }
}

function refuseDuplicate(map: ReadonlyMap<string, unknown>, name: string): void {
  if (map.has(name)) {
    throw new Duplicate(`${name} exists`);
  }
}

function refuseInUse([user]: readonly { readonly name: string }[], name: string): void {
  if (user !== undefined) {
    throw new Error(`${name} is in use by ${user.name}`);
  }
}

function onNetwork<T extends { readonly network: string }>(map: ReadonlyMap<string, T>, network: string): readonly T[] {
  return [...map.values()].filter(one => one.network === network);
}
