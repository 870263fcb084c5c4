// Two provider generations in one process, with the same names. Steps of one generation do not affect the final state
// of the other.
import { expect, it } from 'vitest';
import { defineRackActuator } from '../../../../examples/actuator/rack-actuator.ts';
import { createRacksInMemory } from '../../../../examples/actuator/racks.ts';
import { clusterReconciler } from '../../../../functions/cluster/reconciler.ts';
import { orderPrefix } from '../../../../local/provider/orders.ts';
import { simulatedCluster } from '../../../../local/provider/simulated-cluster.ts';
import type { ObjectRef } from '../../../../packages/apimachinery/object.ts';
import { endStateOf } from '../../../../packages/provider-sdk/testing/cases-of-faults.ts';
import { served } from '../../../support/event-path.ts';
import { fakeSigner, fakeWorkload } from '../../../support/fake-remote.ts';
import { legacyCrd } from '../../../support/scripted-actuator.ts';
import { startVirtualSystem, type VirtualSystem } from '../../../support/virtual-system.ts';

const namespace = 'both';
const names = ['alder', 'birch', 'cedar'] as const;
const steps = 24;
const longestPauseMs = 6_000;
const limitMs = 300_000;

const theirs = (name: string): ObjectRef => ({
  apiVersion: 'cluster.k8s.io/v1alpha1',
  kind: 'Cluster',
  namespace,
  name,
});
const ours = (name: string): ObjectRef => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  namespace,
  name,
});
const infrastructure = (name: string): ObjectRef => ({
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'SimulatedCluster',
  namespace,
  name,
});

const verbs = ['create', 'create', 'touch', 'break', 'mend', 'delete'] as const;

interface Step {
  readonly generation: 'theirs' | 'ours';
  readonly verb: (typeof verbs)[number];
  readonly name: string;
  readonly pauseMs: number;
}

/** The same seed generates the same numbers (Lehmer's generator). */
function toSteps(seed: number): readonly Step[] {
  let state = seed;
  const below = (limit: number): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state % limit;
  };
  return Array.from({ length: steps }, () => ({
    generation: below(2) === 0 ? 'theirs' : 'ours',
    verb: verbs[below(verbs.length)] ?? 'create',
    name: names[below(names.length)] ?? 'alder',
    pauseMs: below(longestPauseMs),
  }));
}

interface End {
  readonly theirs: readonly string[];
  readonly ours: readonly string[];
}

/** Returns the final state of all objects, and the reservations, after the steps of only these generations. */
async function live(all: readonly Step[], living: readonly Step['generation'][]): Promise<End> {
  const racks = createRacksInMemory();
  const system = startVirtualSystem({
    crds: ['Cluster', 'Machine'].map(legacyCrd),
    reconcilers: [
      served(clusterReconciler, { signer: fakeSigner(), workload: fakeWorkload() }),
      served(simulatedCluster, {}),
      served(defineRackActuator(racks), {}),
    ],
    requestMs: 2,
    requestSlots: 4,
    sendMs: 5,
  });
  const { clock, others, find } = system.api;
  await others.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  for (const step of all) {
    if (living.includes(step.generation)) {
      await take(step, system, racks.setBroken);
    }
    await clock.advance(step.pauseMs);
  }
  for (const name of names) {
    await take({ generation: 'theirs', verb: 'mend', name, pauseMs: 0 }, system, racks.setBroken);
    await take({ generation: 'ours', verb: 'mend', name, pauseMs: 0 }, system, racks.setBroken);
  }
  // The time is longer than any backoff after this number of failures.
  await clock.advance(120_000);
  for (const generation of living) {
    await take({ generation, verb: 'create', name: names[0], pauseMs: 0 }, system, racks.setBroken);
  }
  await clock.advance(60_000);
  await system.drain(limitMs);
  const dead = system.deadLetters();
  await system.stop();
  expect(dead).toBe(0);
  return {
    theirs: [...names.map(name => endStateOf(find(theirs(name)))), racks.reserved().toSorted().join()],
    ours: names.flatMap(name => [endStateOf(find(ours(name))), endStateOf(find(infrastructure(name)))]),
  };
}

/** The server refuses a missing or an existing object, regardless of other objects. */
async function take(
  { generation, verb, name }: Step,
  { api: { others } }: VirtualSystem,
  setBroken: (broken: boolean) => void,
): Promise<void> {
  const ref = generation === 'theirs' ? theirs(name) : ours(name);
  const { apiVersion, kind } = ref;
  const metadata = { namespace, name };
  switch (verb) {
    case 'create':
      if (generation === 'theirs') {
        await others.create({ apiVersion, kind, metadata, spec: { racks: [`${name}-a`, `${name}-b`] } });
      } else {
        const infrastructureRef = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'SimulatedCluster', name };
        const { apiVersion: version, kind: of } = infrastructure(name);
        await others.create({ apiVersion: version, kind: of, metadata, spec: {} });
        await others.create({ apiVersion, kind, metadata, spec: { infrastructureRef } });
      }
      return;
    case 'touch':
      await others.mergePatch(ref, { metadata: { annotations: { touched: 'yes' } } });
      return;
    case 'break':
    case 'mend':
      if (generation === 'theirs') {
        setBroken(verb === 'break');
      } else {
        const fail = verb === 'break' ? 'no network' : null;
        await others.mergePatch(infrastructure(name), { metadata: { annotations: { [`${orderPrefix}fail`]: fail } } });
      }
      return;
    case 'delete':
      await others.delete(ref);
  }
}

it.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'steps of one generation do not affect the final state of the other (seed %i)',
  async seed => {
    const all = toSteps(seed);
    const together = await live(all, ['theirs', 'ours']);
    const alone = { theirs: (await live(all, ['theirs'])).theirs, ours: (await live(all, ['ours'])).ours };
    expect(together).toEqual(alone);
    expect(together.theirs).toContainEqual(expect.stringContaining('reservedRacks'));
    expect(together.ours).toContainEqual(expect.stringContaining('Provisioned'));
  },
);
