// A Cluster waits for a Secret that another controller creates. No event source watches Secrets. The whole event path
// runs in virtual time.

import { toRef } from '@capi-serverless/apimachinery';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { clusterReconciler } from '../../../../functions/cluster/reconciler.ts';
import { aCluster, aControlPlane, aMachine, anInfraCluster } from '../../../support/builders.ts';
import { served, startTally } from '../../../support/event-path.ts';
import { type FakeWorkload, fakeSigner, fakeWorkload } from '../../../support/fake-remote.ts';
import type { Built } from '../../../support/object-builder.ts';
import { startVirtualSystem, type VirtualSystem } from '../../../support/virtual-system.ts';
import { aSecret } from './secrets.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

const infra = anInfraCluster().withEndpoint('h.example').provisioned();
const controlPlane = aControlPlane();
const kubeconfig = aSecret('c1-kubeconfig').holding({ value: 'a kubeconfig' });
const authority = aSecret('c1-ca').holding({ 'tls.crt': 'PEM certificate', 'tls.key': 'PEM key' });

let workload: FakeWorkload;
let system: VirtualSystem;

beforeEach(() => {
  workload = fakeWorkload();
  system = startVirtualSystem({
    reconcilers: [served(clusterReconciler, { workload, signer: fakeSigner() })],
    requestMs: 5,
    requestSlots: 10,
    sendMs: 5,
  });
  onTestFinished(() => system.stop());
});

/** Creates the objects and lets the Cluster settle for ten minutes. */
async function settle(...objects: readonly Built[]): Promise<void> {
  system.api.given(...objects);
  await system.api.clock.advance(10 * minute);
}

async function initialize(): Promise<void> {
  const status = { initialization: { controlPlaneInitialized: true } };
  await system.api.others.mergePatch(toRef(controlPlane.build()), { status }, { subresource: 'status' });
}

/** Advances time until the workload cluster is probed, and returns the milliseconds. */
async function untilProbed(): Promise<number> {
  const startedAt = system.api.clock.now();
  while (workload.targets.length === 0 && system.api.clock.now() < startedAt + hour) {
    await system.api.clock.advance(50);
  }
  return system.api.clock.now() - startedAt;
}

/** Returns the number of reconciles within this time. */
async function reconcilesIn(ms: number): Promise<number> {
  const tally = startTally();
  await system.api.clock.advance(ms);
  tally.stop();
  return tally.reconciles.length;
}

describe('a Cluster with a control plane provider', () => {
  const objects = [aCluster().withInfrastructureRef().withControlPlaneRef(), infra, controlPlane];

  it.each([0, 2_700, 17_000])(
    'is reconciled within 2 s of a kubeconfig that is created %i ms after the control plane was initialized',
    async ms => {
      await settle(...objects);
      await initialize();
      await system.api.clock.advance(ms);
      expect(workload.targets).toEqual([]);
      system.api.given(kubeconfig);
      expect(await untilProbed()).toBeLessThanOrEqual(2 * second);
      expect(await reconcilesIn(10 * minute)).toBeLessThanOrEqual(2);
    },
  );

  it('is reconciled within 45 s of a kubeconfig that is created in the first half hour', async () => {
    await settle(...objects);
    await initialize();
    await system.api.clock.advance(11 * minute);
    system.api.given(kubeconfig);
    expect(await untilProbed()).toBeLessThanOrEqual(45 * second);
  });

  it('is not reconciled by timers before the control plane is initialized', async () => {
    await settle(...objects);
    expect(await reconcilesIn(hour)).toBe(0);
  });

  it('costs a bounded number of reconciles if the kubeconfig is never created', async () => {
    await settle(...objects);
    await initialize();
    expect(await reconcilesIn(10 * minute)).toBeLessThanOrEqual(75);
    expect(await reconcilesIn(20 * minute)).toBeLessThanOrEqual(40);
    expect(await reconcilesIn(hour)).toBeLessThanOrEqual(10);
  });
});

describe('a Cluster whose kubeconfig is signed here', () => {
  const cluster = aCluster().withInfrastructureRef();
  const machine = aMachine().named('m1').ofCluster(cluster).controlPlane();

  it.each([300, 17_000])(
    'is reconciled within 2 s of an authority that is created %i ms after the first control plane Machine, and is probed',
    async ms => {
      await settle(cluster, infra);
      system.api.given(machine);
      await system.api.clock.advance(ms);
      system.api.given(authority);
      expect(await untilProbed()).toBeLessThanOrEqual(4 * second);
      const signed = system.api.read({ apiVersion: 'v1', kind: 'Secret', namespace: 'ns', name: 'c1-kubeconfig' });
      const delayMs = Date.parse(signed.metadata.creationTimestamp ?? '') - system.api.clock.now();
      expect(Math.abs(delayMs)).toBeLessThanOrEqual(3 * second);
    },
  );

  it('costs a bounded number of reconciles if the authority is never created', async () => {
    await settle(cluster, infra);
    system.api.given(machine);
    expect(await reconcilesIn(10 * minute)).toBeLessThanOrEqual(75);
    expect(await reconcilesIn(20 * minute)).toBeLessThanOrEqual(40);
  });
});
