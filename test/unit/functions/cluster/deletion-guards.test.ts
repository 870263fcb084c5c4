// The removal of the finalizer of a Cluster in deletion, in 10,000 random states (a fifth unless
// CAPI_TEST_EXTENT=full). The finalizer is removed exactly if no guard forbids it.

import type { Unstructured } from '@capi-serverless/apimachinery';
import type { Action } from '@capi-serverless/reconciler';
import { beforeAll, describe, expect, it } from 'vitest';
import { createClusterReconciler } from '../../../../functions/cluster/reconciler.ts';
import { aMachine, aMachineDeployment, aMachinePool, aMachineSet } from '../../../support/builders.ts';
import { generated } from '../../../support/extent.ts';
import { fakeReads, type ReadFault } from '../../../support/fake-reads.ts';
import { fakeSigner, fakeWorkload } from '../../../support/fake-remote.ts';
import { type Built, built, type ConditionParts } from '../../../support/object-builder.ts';
import { fc, seed } from '../../../support/property.ts';
import {
  aClusterClass,
  aFreshCluster,
  aSettledCluster,
  controlPlaneOk,
  controlPlaneRef,
  cp1,
  crds,
  finalizer,
  i1,
  infraOk,
  infraRef,
  now,
  testSettings,
} from './cluster-pass.ts';

const states = generated(10_000);
const held = 'provider.example.com/held';
const collections = {
  MachineDeployment: aMachineDeployment(),
  MachineSet: aMachineSet(),
  MachinePool: aMachinePool(),
} as const;
const lists = ['MachineDeployment', 'MachineSet', 'MachinePool', 'Machine'] as const;

/** The flag is true in one of this number of states. It is rare enough that often only one guard is active. */
function oneIn(count: number): fc.Arbitrary<boolean> {
  return fc.noBias(fc.nat({ max: count - 1 })).map(roll => roll === 0);
}

type ExternalState = 'undefined' | 'missing' | 'there' | 'deleting' | 'unreadable';
const external = fc.noBias(fc.nat({ max: 31 })).map((roll): ExternalState => {
  if (roll < 4) {
    return (['there', 'deleting', 'unreadable', 'unreadable'] as const)[roll] ?? 'there';
  }
  return roll < 12 ? 'undefined' : 'missing';
});
const member = (isThere: fc.Arbitrary<boolean>) =>
  fc.record({ isThere, isOwned: fc.boolean(), isDeleting: fc.boolean() });
const anyState = fc.record({
  hasTopology: fc.boolean(),
  isAllowed: oneIn(8).map(isForbidden => !isForbidden),
  isClassMissing: oneIn(8),
  isPaused: oneIn(16),
  unlisted: fc.tuple(oneIn(16), fc.constantFrom(...lists)).map(([fails, list]) => (fails ? list : undefined)),
  infrastructure: external,
  controlPlane: external,
  MachineDeployment: member(oneIn(16)),
  MachineSet: member(oneIn(16)),
  MachinePool: member(oneIn(16)),
  worker: member(oneIn(16)),
  controlPlaneMachine: member(oneIn(4)),
  hasOtherFinalizer: fc.boolean(),
});
type State = typeof anyState extends fc.Arbitrary<infer T> ? T : never;

/** Computes the guards from the state without code of the reconciler. */
const guards: Readonly<Record<string, (state: State) => boolean>> = {
  'the Cluster is paused': state => state.isPaused,
  'its ClusterClass cannot be read': state => state.hasTopology && state.isClassMissing,
  'the BeforeClusterDelete hook has not allowed it': state => state.hasTopology && !state.isAllowed,
  'descendants could not be listed': state => state.unlisted !== undefined,
  'a MachineDeployment is left': state => state.MachineDeployment.isThere,
  'a MachineSet is left': state => state.MachineSet.isThere,
  'a MachinePool is left': state => state.MachinePool.isThere,
  'a worker Machine is left': state => state.worker.isThere,
  'a stand-alone control plane Machine is left': state =>
    state.controlPlaneMachine.isThere && state.controlPlane === 'undefined',
  'the control plane cannot be read': state => state.controlPlane === 'unreadable',
  'the control plane is left': state => ['there', 'deleting'].includes(state.controlPlane),
  'the infrastructure cannot be read': state => state.infrastructure === 'unreadable',
  'the infrastructure is left': state => ['there', 'deleting'].includes(state.infrastructure),
};

interface Judged {
  readonly state: State;
  readonly holding: readonly string[];
  readonly removed: boolean;
}

describe(`${states} Clusters in deletion`, () => {
  let judged: readonly Judged[];

  beforeAll(async () => {
    const sample = fc.sample(anyState, { numRuns: states, seed });
    judged = await Promise.all(
      sample.map(async state => ({
        state,
        holding: Object.keys(guards).filter(guard => guards[guard]?.(state) === true),
        removed: (await decideFor(state)).some(takesFinalizer),
      })),
    );
  });

  it('lose their finalizer exactly where no guard forbids it', () => {
    const wrong = judged.filter(({ holding, removed }) => removed !== (holding.length === 0));
    expect(wrong.slice(0, 3)).toEqual([]);
  });

  it('lose it in a tenth of the states or more', () => {
    expect(judged.filter(({ removed }) => removed).length).toBeGreaterThanOrEqual(states / 10);
  });

  it.each(Object.keys(guards))(
    'keep their finalizer by one guard only in a hundredth of the states or more: %s',
    guard => {
      const alone = judged.filter(({ holding }) => holding.length === 1 && holding[0] === guard);
      expect(alone.length).toBeGreaterThanOrEqual(states / 100);
    },
  );
});

async function decideFor(state: State): Promise<readonly Action[]> {
  const reconciler = createClusterReconciler({ ...testSettings, countsMachinePools: true });
  const ask = { ...fakeReads(objectsOf(state), faultsOf(state)), signer: fakeSigner(), workload: fakeWorkload() };
  const pass = { number: 1, now, signal: new AbortController().signal };
  const seen = await reconciler.observe(built(clusterOf(state)), ask, pass);
  return 'stop' in seen ? [] : reconciler.decide(seen, now);
}

function takesFinalizer(action: Action): boolean {
  if (action.do !== 'patch' || action.ref.kind !== 'Cluster' || typeof action.body === 'function') {
    return false;
  }
  const { finalizers } = action.body['metadata'] as { readonly finalizers?: readonly string[] | null }; // true: its actions patch this form
  return finalizers !== undefined && finalizers?.includes(finalizer) !== true;
}

function clusterOf(state: State) {
  const pause: ConditionParts = state.isPaused
    ? { status: 'True', reason: 'Paused', message: 'Cluster spec.paused is set to true' }
    : { status: 'False', reason: 'NotPaused' };
  const base = aSettledCluster()
    .withFinalizers(...(state.hasOtherFinalizer ? [held] : []))
    .withSpec({
      paused: state.isPaused,
      ...(state.infrastructure === 'undefined' ? {} : { infrastructureRef: infraRef }),
      ...(state.controlPlane === 'undefined' ? {} : { controlPlaneRef }),
    })
    .withCondition('Paused', { ...pause, observedGeneration: 3 })
    .deleting();
  const allowed = state.isAllowed ? base.annotated({ 'runtime.cluster.x-k8s.io/ok-to-delete': '' }) : base;
  return state.hasTopology ? allowed.withTopology({ class: 'cls' }) : allowed;
}

function objectsOf(state: State): readonly Built<Unstructured>[] {
  const machines = [
    { of: state.worker, machine: aMachine() },
    { of: state.controlPlaneMachine, machine: aMachine().named('m2').controlPlane() },
  ];
  const members = [
    ...Object.entries(collections).map(([kind, object]) => ({ of: state[kind as keyof typeof collections], object })), // true: these are its keys
    ...machines.map(({ of, machine }) => ({ of, object: machine })),
  ].flatMap(({ of, object }) => {
    const owned = of.isOwned ? object.ownedBy(aFreshCluster()) : object;
    return of.isThere ? [of.isDeleting ? owned.withFinalizers(held).deleting() : owned] : [];
  });
  return [
    ...crds,
    ...(state.isClassMissing ? [] : [aClusterClass()]),
    ...members,
    ...externalsOf(state.infrastructure, infraOk(), i1()),
    ...externalsOf(state.controlPlane, controlPlaneOk(), cp1()),
  ];
}

function externalsOf(
  is: ExternalState,
  there: ReturnType<typeof i1>,
  bare: ReturnType<typeof i1>,
): readonly Built<Unstructured>[] {
  switch (is) {
    case 'there':
      return [there];
    case 'deleting':
      return [there.withFinalizers(held).deleting()];
    case 'unreadable':
      return [bare];
    case 'missing':
    case 'undefined':
      return [];
  }
}

function faultsOf({ unlisted, infrastructure, controlPlane }: State): readonly ReadFault[] {
  const message = 'etcd is away';
  return [
    ...(unlisted === undefined ? [] : [{ at: `list ${unlisted} ns`, message }]),
    ...(infrastructure === 'unreadable' ? [{ at: 'get FooCluster ns/i1', message }] : []),
    ...(controlPlane === 'unreadable' ? [{ at: 'get FooControlPlane ns/cp1', message }] : []),
  ];
}
