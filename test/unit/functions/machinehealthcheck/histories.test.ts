// Random histories of Machines, Nodes, outages and repeated invocations. A Machine is marked only for a cause that has
// lasted, only while the breaker allows it, and never after an answer that is incomplete. Objects are built and read once
// for each state, because the histories of the full extent must end in half a minute. CAPI_TEST_PART=all plays all.

import {
  type ApiFailure,
  answered,
  type Instant,
  refused,
  type Unstructured,
  valueAt,
} from '@capi-serverless/apimachinery';
import { applyMergePatch } from '@capi-serverless/apimachinery/json-patch';
import { describe, expect, it } from 'vitest';
import { readNodes } from '../../../../functions/machinehealthcheck/observe/read-nodes.ts';
import { healthOf, type Target } from '../../../../functions/machinehealthcheck/phases/health.ts';
import { plan } from '../../../../functions/machinehealthcheck/plan.ts';
import { readCluster } from '../../../../shared/api/cluster/reader.ts';
import { readWholeMachine, type WholeMachine } from '../../../../shared/api/machine/whole-machine.ts';
import { readHealthCheck } from '../../../../shared/api/machine-health-check/reader.ts';
import { type NodeHealth, readNodeHealth } from '../../../../shared/api/node/health-reader.ts';
import { createRandom, type Random } from '../../../simulation/engine/random.ts';
import { isFull } from '../../../support/extent.ts';
import { timestamp } from '../../../support/object-builder.ts';
import { conditionIn, conditionText } from '../../../support/result-text.ts';
import { rotationOf } from '../../../support/rotation.ts';
import { aCapiCluster, lost, machine, node, now, triggeredBy } from './scenario-objects.ts';

const cluster = readCluster(aCapiCluster().build());
const timeoutMs = 300_000;
/** The full extent takes a quarter of them, another one for each commit. */
const all = 100_000;
const quarter = rotationOf(4);
const histories = isFull ? all / quarter.parts : 4_000;
const first = isFull ? quarter.part * histories : 0;
const steps = 4;

/** What is true of a Machine's Node, independent of what is read of it. */
interface Fate {
  /** The time at which the kubelet stopped, or at which the Node was deleted. */
  lostAt: Instant | undefined;
  node: NodeHealth;
  deleted: boolean;
}

/** The parts of the reconciler that a planted bug replaces. */
interface Parts {
  readonly readNodes: typeof readNodes;
  readonly plan: typeof plan;
}

type Weather = 'fine' | 'down' | 'wrong server' | 'empty list';

const failures: Readonly<Record<'down' | 'wrong server', ApiFailure>> = {
  down: { reason: 'Unavailable', message: 'refused' },
  'wrong server': { reason: 'NotFound', code: 404, notServed: true, message: 'the server answered 404' },
};

function must(holds: boolean, what: string): void {
  if (!holds) {
    throw new Error(what);
  }
}

/** Returns the result for a key, computed once. */
function once<Key, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return key => {
    const value = known.get(key) ?? compute(key);
    known.set(key, value);
    return value;
  };
}

/** The Machine has been judged before. */
const machineOf = once((number: number): Unstructured => {
  const conditions = [
    { type: 'HealthCheckSucceeded', status: 'True', reason: 'HealthCheckSucceeded', message: '' },
  ].map(condition => ({ ...condition, lastTransitionTime: timestamp(now - 3_600_000) }));
  const v1beta1 = { conditions: conditions.map(({ reason: _, message: __, ...condition }) => condition) };
  return machine(number).withStatus({ conditions, deprecated: { v1beta1 } }).build();
});
const readyNode = once((number: number) => readNodeHealth(node(number).build()));
const checkOf = once((limit: number) =>
  readHealthCheck(
    triggeredBy({ unhealthyLessThanOrEqualTo: limit })
      .withSpec({
        checks: {
          nodeStartupTimeoutSeconds: 600,
          unhealthyNodeConditions: [{ type: 'Ready', status: 'Unknown', timeoutSeconds: timeoutMs / 1000 }],
          unhealthyMachineConditions: [{ type: 'NodeReady', status: 'Unknown', timeoutSeconds: timeoutMs / 1000 }],
        },
      })
      .build(),
  ),
);

function lostNode(number: number, since: Instant) {
  const condition = { status: 'Unknown', lastTransitionTime: timestamp(since) } as const;
  return readNodeHealth(lost(number, 0).withCondition('Ready', condition).build());
}

const knownMachines = new WeakMap<Unstructured, WholeMachine>();

function readMachine(object: Unstructured): WholeMachine {
  const read = knownMachines.get(object) ?? readWholeMachine(object);
  knownMachines.set(object, read);
  return read;
}

/** The condition that a Machine keeps for a while after an outage has ended. */
function withStaleCondition(object: Unstructured, since: Instant): Unstructured {
  const stored = valueAt(object.status, 'conditions');
  const others = (Array.isArray(stored) ? stored : []).filter(({ type }) => type !== 'NodeReady');
  const stale = {
    type: 'NodeReady',
    status: 'Unknown',
    reason: 'ConnectionDown',
    message: '',
    lastTransitionTime: timestamp(since),
  };
  return applyMergePatch(object, { status: { conditions: [...others, stale] } }) as Unstructured; // true: a patched object is an object
}

class History {
  readonly #parts: Parts;
  readonly #random: Random;
  readonly #fates: Fate[];
  readonly #machines: Unstructured[];
  readonly #limit: number;
  #now = now;

  constructor(seed: string, parts: Parts) {
    this.#parts = parts;
    this.#random = createRandom(seed);
    // More than ten Nodes are read with one list.
    const count = this.#random.chance(0.03) ? 12 : this.#random.pick([1, 2, 3]);
    this.#fates = Array.from({ length: count }, (_, index) => ({
      lostAt: undefined,
      node: readyNode(index + 1),
      deleted: false,
    }));
    this.#machines = this.#fates.map((_, index) => machineOf(index + 1));
    this.#limit = this.#random.below(count + 1);
  }

  async run(): Promise<void> {
    for (let step = 0; step < steps; step += 1) {
      this.#now += 1000 * (1 + this.#random.below(400));
      for (const [index, fate] of this.#fates.entries()) {
        this.#change(fate, index + 1);
        const object = this.#machines[index];
        if (object !== undefined && this.#random.chance(0.05)) {
          this.#machines[index] = withStaleCondition(object, this.#now - 1000 * this.#random.below(2_000));
        }
      }
      const weather = this.#random.pick<Weather>(['fine', 'fine', 'fine', 'down', 'wrong server', 'empty list']);
      // Two invocations may see the same state.
      const seen = [...this.#machines];
      for (let invocation = 0; invocation < 2; invocation += 1) {
        await this.#reconcile(seen, weather);
      }
    }
  }

  #change(fate: Fate, number: number): void {
    if (fate.deleted) {
      return;
    }
    if (this.#random.chance(0.1)) {
      fate.lostAt = fate.lostAt === undefined ? this.#now : undefined;
      fate.node = fate.lostAt === undefined ? readyNode(number) : lostNode(number, fate.lostAt);
    }
    fate.deleted = this.#random.chance(0.02);
  }

  async #reconcile(seen: readonly Unstructured[], weather: Weather): Promise<void> {
    const names = this.#fates.map((_, index) => `n${index + 1}`);
    const read = await this.#parts.readNodes(names, this.#workload(weather));
    const isJudged = weather === 'fine' || (weather === 'empty list' && names.length <= 10);
    // An empty list is believed only if each confirmed Node is deleted.
    if (!read.ok) {
      must(weather !== 'fine', 'Nodes could not be read in fine weather');
      return;
    }
    must(
      isJudged || this.#fates.slice(0, 10).every(({ deleted }) => deleted),
      `Machines are judged although the workload cluster is ${weather}`,
    );
    const targets = seen.map((object, index): Target => {
      const found = read.nodes.get(`n${index + 1}`);
      return {
        machine: readMachine(object),
        node: found === undefined ? { state: 'missing' } : { state: 'found', node: found },
      };
    });
    this.#judge(targets);
  }

  #judge(targets: readonly Target[]): void {
    const check = checkOf(this.#limit);
    const scope = { check, cluster, now: this.#now };
    const judged = targets.map(target => ({ ...target, health: healthOf(target, scope) }));
    const made = this.#parts.plan({ step: 'targets', check, cluster, targets: judged, external: undefined }, this.#now);
    const { actions } = made;
    const notHealthy = this.#fates.filter(({ lostAt, deleted }) => deleted || lostAt !== undefined).length;
    for (const action of actions) {
      const body = action.do === 'patch' && typeof action.body === 'function' ? action.body(new Map()) : {};
      const index = targets.findIndex(({ machine: { metadata } }) => action.id === `machine:${metadata.name}`);
      const fate = this.#fates[index];
      const stored = this.#machines[index];
      if (fate === undefined || stored === undefined || action.when?.(new Map()) === false) {
        continue;
      }
      const conditions = valueAt(body, 'status.conditions');
      if (conditionText(conditionIn(conditions, 'HealthCheckSucceeded'))?.startsWith('False')) {
        const lasts = fate.lostAt === undefined ? 0 : this.#now - fate.lostAt;
        must(fate.deleted || lasts > timeoutMs, 'a Machine is unhealthy without a cause that has lasted');
      }
      const owned = 'OwnerRemediated';
      if (conditionIn(conditions, owned) && !conditionIn(valueAt(stored.status, 'conditions'), owned)) {
        must(notHealthy <= this.#limit, 'more Machines are remediated than the breaker allows');
      }
      this.#machines[index] = applyMergePatch(stored, body) as Unstructured; // true: a patched object is an object
    }
  }

  #workload(weather: Weather): Parameters<typeof readNodes>[1] {
    const nodes = this.#fates.flatMap(({ node: health, deleted }) => (deleted ? [] : [health]));
    const failure = weather === 'down' || weather === 'wrong server' ? failures[weather] : undefined;
    const get = async ({ name }: { readonly name: string }) => {
      const found = nodes.find(each => each.name === name);
      const missing: ApiFailure = { reason: 'NotFound', code: 404, message: `nodes "${name}" not found` };
      return failure !== undefined ? refused(failure) : found === undefined ? refused(missing) : answered(found);
    };
    const list = async () =>
      failure !== undefined ? refused(failure) : answered(weather === 'empty list' ? [] : nodes);
    return { get, list } as unknown as Parameters<typeof readNodes>[1]; // true: the function uses these two with a parser
  }
}

async function play(count: number, planted: Partial<Parts> = {}, from = 0): Promise<void> {
  for (let seed = from; seed < from + count; seed += 1) {
    await new History(`history ${seed}`, { readNodes, plan, ...planted }).run();
  }
}

it(`marks no Machine without cause in ${histories} histories`, { timeout: 600_000 }, () => play(histories, {}, first));

describe('a planted bug is found', () => {
  it('if any answer of 404 means that the Node was deleted', async () => {
    const wrong: typeof readNodes = async (names, workload) => {
      const read = await readNodes(names, workload);
      return read.ok || !read.error.includes('404') ? read : { ok: true, nodes: new Map() };
    };
    await expect(play(200, { readNodes: wrong })).rejects.toThrow('although the workload cluster is wrong server');
  });

  it('if the breaker is forgotten', async () => {
    const wrong: typeof plan = (seen, at) =>
      plan(seen.step === 'targets' ? { ...seen, check: checkOf(1_000) } : seen, at);
    await expect(play(200, { plan: wrong })).rejects.toThrow('more Machines are remediated than the breaker allows');
  });
});
