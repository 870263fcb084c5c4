// Cases in which a provider waits: a pause, an external manager, a missing endpoint.

import { pausedAnnotation } from '@capi-serverless/cluster-api/conditions';
import { expectUntouched } from './cases-of-creation.ts';
import { beginWorld, isProvisioned, managedAnnotation, suiteEndpoint } from './conformance-fixture.ts';
import { expectCondition, expectThat } from './expectations.ts';
import type { ConformanceCase, ConformanceSetup } from './setup.ts';

const passesWhileWaiting = 5;

export function waitingCases(setup: ConformanceSetup): readonly ConformanceCase[] {
  return [
    { name: 'writes nothing while its Cluster is paused, and resumes afterwards', run: () => pausesWithCluster(setup) },
    { name: 'writes nothing while the object is paused, and resumes afterwards', run: () => pausesByAnnotation(setup) },
    { name: 'reports both pauses', run: () => reportsBothPauses(setup) },
    { name: 'writes nothing to an object that is managed externally', run: () => leavesToOthers(setup) },
    setup.endpoint === 'fromCluster'
      ? { name: 'waits for the endpoint of its Cluster', run: () => waitsForEndpoint(setup) }
      : { name: 'becomes ready beside a Cluster that has an endpoint already', run: () => acceptsEndpoint(setup) },
  ];
}

async function pausesWithCluster(setup: ConformanceSetup): Promise<void> {
  const world = await beginWorld(setup);
  await world.patch({ spec: { paused: true } }, world.cluster);
  await passes(world, passesWhileWaiting);
  expectCondition(await world.find(), 'Paused', {
    status: 'True',
    reason: 'Paused',
    message: 'Cluster spec.paused is set to true',
  });
  expectThat(!isProvisioned(await world.find(), setup), 'nothing to be provisioned during the pause');
  await world.patch({ spec: { paused: false } }, world.cluster);
  await world.settleReady();
}

async function pausesByAnnotation(setup: ConformanceSetup): Promise<void> {
  const world = await beginWorld(setup);
  await world.settleReady();
  await world.patch({ metadata: { annotations: { [pausedAnnotation]: '' } } });
  await passes(world, passesWhileWaiting);
  expectCondition(await world.find(), 'Paused', {
    status: 'True',
    reason: 'Paused',
    message: `${world.ref.kind} has the ${pausedAnnotation} annotation`,
  });
  await world.remove(world.ref);
  await passes(world, passesWhileWaiting);
  expectThat((await world.find()) !== undefined, 'no deletion during the pause');
  await world.patch({ metadata: { annotations: { [pausedAnnotation]: null } } });
  await world.settleGone();
}

async function reportsBothPauses(setup: ConformanceSetup): Promise<void> {
  const world = await beginWorld(setup, { annotations: { [pausedAnnotation]: 'true' } });
  await world.patch({ spec: { paused: true } }, world.cluster);
  await passes(world, passesWhileWaiting);
  expectCondition(await world.find(), 'Paused', {
    status: 'True',
    message: `Cluster spec.paused is set to true, ${world.ref.kind} has the ${pausedAnnotation} annotation`,
  });
}

async function leavesToOthers(setup: ConformanceSetup): Promise<void> {
  const world = await beginWorld(setup, { annotations: { [managedAnnotation]: 'another-controller' } });
  const before = await world.read(world.ref);
  await passes(world, passesWhileWaiting);
  expectUntouched(before, await world.find());
}

async function waitsForEndpoint(setup: ConformanceSetup): Promise<void> {
  const world = await beginWorld(setup, { clusterSpec: {} });
  await passes(world, passesWhileWaiting);
  expectCondition(await world.find(), 'Ready', { status: 'False', reason: 'WaitingForControlPlaneEndpoint' });
  await world.patch({ spec: { controlPlaneEndpoint: suiteEndpoint } }, world.cluster);
  await world.settleReady();
}

async function acceptsEndpoint(setup: ConformanceSetup): Promise<void> {
  const world = await beginWorld(setup, { clusterSpec: { controlPlaneEndpoint: suiteEndpoint } });
  const before = await world.read(world.cluster);
  await world.settleReady();
  expectUntouched(before, await world.read(world.cluster));
}

async function passes(world: { pass(): Promise<unknown> }, count: number): Promise<void> {
  for (let passed = 0; passed < count; passed += 1) {
    await world.pass();
  }
}
