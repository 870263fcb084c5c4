// Machines whose workload cluster stops answering, in virtual time: all functions as deployed.
import type { Instant } from '@capi-serverless/apimachinery';
import { createVirtualTime } from '../../parity/virtual-time.ts';
import { calm, type Faults } from '../../simulation/engine/faults.ts';
import type { Engine } from '../../simulation/engine/process.ts';
import type { LogLine } from '../../simulation/system/log.ts';
import { usualReconcilers } from '../../simulation/system/reconcilers.ts';
import { createSystem, type System } from '../../simulation/system/system.ts';
import { createUser, type SimulatedUser, sleep } from '../../simulation/system/user.ts';
import { aWholeMachine } from '../../simulation/workloads/machine-parts.ts';
import { machineRef } from '../../simulation/workloads/members.ts';
import {
  aSimulatedCluster,
  conditionOf,
  home,
  namespaceNamed,
  untilReady,
} from '../../simulation/workloads/workload.ts';

interface LostWorkload {
  /** The number of Machines of the Cluster whose API server stops answering. */
  readonly lost: number;
  /** The number of Machines of another Cluster. */
  readonly others: number;
  readonly minutes: number;
}

interface MachineHistory {
  /** The states of NodeReady, without repetitions. */
  readonly states: readonly string[];
  /** Reconciles during the outage. */
  readonly passes: number;
}

interface Outcome {
  readonly lost: readonly MachineHistory[];
  readonly others: readonly MachineHistory[];
  /** The longest virtual time between a change of a Machine of the other Cluster and its reconcile, before the outage. */
  readonly usualDelayMs: number;
  /** The same during the outage. */
  readonly delayMs: number;
}

const start = Date.parse('2026-01-01T00:00:00Z');
const minute = 60_000;
/** Nothing that a new Machine or a changed condition causes takes longer. */
const settleMs = 20 * minute;
const lookMs = 15_000;
/** A Machine takes about 1,500 steps. */
const mostStepsOfMachine = 20_000;
/** The names of the Cluster that is lost and of the other one. */
const names = { lost: 'c1', others: 'c2' } as const;

/** Nodes have the names of their Machines. */
const isToLost = (label: string): boolean =>
  /^(?:workload \w+ Node c1-|probe with the kubeconfig in Secret \w+\/c1-)/.test(label);

export async function loseWorkload(counts: LostWorkload): Promise<Outcome> {
  let isDown = false;
  const faults: Faults = {
    rates: calm,
    at: ({ label }) => (isDown && isToLost(label) ? { do: 'refuse', when: 'before', as: 'timeout' } : undefined),
  };
  const { engine, options, run } = createVirtualTime('lost workload', start, {
    faults,
    mostSteps: (counts.lost + counts.others) * mostStepsOfMachine,
  });
  const reconciles = new Reconciles(() => engine.scheduler.now);
  const system = createSystem({
    ...options,
    reconcilers: usualReconcilers,
    world: undefined,
    // Of the forwarder and the resync.
    largestPage: 500,
    onLog: line => {
      options.onLog(line);
      reconciles.note(line);
    },
  });
  const world = new LostWorld({ engine, system, reconciles, counts });
  const { result, defects } = await run(async () => {
    await world.create();
    const usualDelayMs = await world.measureDelay();
    isDown = true;
    const lostAt = engine.scheduler.now;
    const delayMs = await world.noticeOutage();
    await world.pass(counts.minutes * minute - (engine.scheduler.now - lostAt));
    const foundAt = engine.scheduler.now;
    isDown = false;
    await world.pass(settleMs);
    return { ...world.histories(lostAt, foundAt), usualDelayMs, delayMs };
  });
  if (defects.length > 0) {
    throw new Error(defects.join('\n'));
  }
  return result;
}

/** The times of the reconciles of Machines, by name. */
class Reconciles {
  readonly #times = new Map<string, Instant[]>();
  readonly #now: () => Instant;

  constructor(now: () => Instant) {
    this.#now = now;
  }

  note({ message, fields }: LogLine): void {
    if (fields['controller'] === 'machine' && /^Reconcile/.test(message)) {
      const name = String(fields['name']);
      const times = this.#times.get(name) ?? [];
      this.#times.set(name, times);
      times.push(this.#now());
    }
  }

  of(name: string): readonly Instant[] {
    return this.#times.get(name) ?? [];
  }
}

interface LostParts {
  readonly engine: Engine;
  readonly system: System;
  readonly reconciles: Reconciles;
  readonly counts: LostWorkload;
}

class LostWorld {
  readonly #parts: LostParts;
  readonly #user: SimulatedUser;
  /** The states of NodeReady by name. */
  readonly #states = new Map<string, readonly string[]>();

  constructor(parts: LostParts) {
    this.#parts = parts;
    this.#user = createUser(parts.engine, parts.system);
  }

  async create(): Promise<void> {
    const { counts } = this.#parts;
    await this.#user.create(namespaceNamed(home), ...aSimulatedCluster(names.lost), ...aSimulatedCluster(names.others));
    await untilReady(this.#user, names.lost);
    await untilReady(this.#user, names.others);
    for (const [cluster, count] of [[names.lost, counts.lost] as const, [names.others, counts.others] as const]) {
      for (const name of namesOf(cluster, count)) {
        await this.#user.create(...aWholeMachine(name, { cluster }));
      }
    }
    await this.pass(settleMs);
  }

  /** Lets virtual time pass. */
  async pass(ms: number): Promise<void> {
    const { engine } = this.#parts;
    for (const until = engine.scheduler.now + ms; engine.scheduler.now < until; ) {
      await sleep(engine, lookMs);
      this.#noteStates();
    }
  }

  /** Changes one Machine: healthy Nodes are not polled, so nothing else shows the outage. Returns the delay of others. */
  async noticeOutage(): Promise<number> {
    await this.#user.patch(machineRef(`${names.lost}-m1`), { metadata: { labels: { changed: 'lost' } } });
    await this.pass(5 * minute);
    return this.measureDelay();
  }

  /** Changes each Machine of the other Cluster, and returns the longest time until its reconcile. */
  async measureDelay(): Promise<number> {
    const { engine, reconciles, counts } = this.#parts;
    const changed = engine.scheduler.now;
    const others = namesOf(names.others, counts.others);
    for (const name of others) {
      await this.#user.patch(machineRef(name), { metadata: { labels: { changed: String(changed) } } });
    }
    await this.pass(minute);
    const firstSince = (name: string): Instant => reconciles.of(name).find(at => at >= changed) ?? Number.NaN;
    return Math.max(...others.map(name => firstSince(name) - changed));
  }

  histories(lostAt: Instant, foundAt: Instant): Pick<Outcome, 'lost' | 'others'> {
    const { reconciles, counts } = this.#parts;
    const toHistory = (name: string): MachineHistory => ({
      states: this.#states.get(name) ?? [],
      passes: reconciles.of(name).filter(at => at >= lostAt && at < foundAt).length,
    });
    return {
      lost: namesOf(names.lost, counts.lost).map(toHistory),
      others: namesOf(names.others, counts.others).map(toHistory),
    };
  }

  #noteStates(): void {
    for (const object of this.#parts.system.api.objects().values()) {
      const { name } = object.metadata;
      const known = this.#states.get(name) ?? [];
      const state = conditionOf(object, 'NodeReady');
      if (object.kind === 'Machine' && known.at(-1) !== state) {
        this.#states.set(name, [...known, state]);
      }
    }
  }
}

function namesOf(cluster: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${cluster}-m${index + 1}`);
}
