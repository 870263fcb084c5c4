// Cases from an object without an owner to infrastructure that its Cluster can use.
import type { Unstructured } from '@capi-serverless/apimachinery';
import {
  type ContractVersion,
  isValidEndpoint,
  readEndpoint,
  readFailureDomains,
  valueOr,
  zeroEndpoint,
} from '@capi-serverless/cluster-api/contract';
import { beginWorld, type ConformanceWorld, isProvisioned } from './conformance-fixture.ts';
import { expectCondition, expectThat } from './expectations.ts';
import type { ConformanceCase, ConformanceSetup } from './setup.ts';

export function creationCases(setup: ConformanceSetup): readonly ConformanceCase[] {
  return [
    { name: 'does not change an object that no Cluster owns yet', run: () => waitsForOwner(setup) },
    { name: 'stores its finalizer before it does anything else', run: () => storesFinalizer(setup) },
    { name: 'becomes ready, with the flag last', run: () => becomesReady(setup) },
    { name: 'writes nothing once it is ready', run: () => staysSilent(setup) },
    { name: 'does not write to its Cluster', run: () => keepsCluster(setup) },
    { name: 'reports its failure domains in the form of its contract', run: () => reportsDomains(setup) },
  ];
}

async function waitsForOwner(setup: ConformanceSetup): Promise<void> {
  const world = await beginWorld(setup, { owned: false });
  const before = await world.read(world.ref);
  await world.pass();
  expectUntouched(before, await world.find());
}

async function storesFinalizer(setup: ConformanceSetup): Promise<void> {
  const world = await beginWorld(setup);
  const before = await world.read(world.ref);
  await world.pass();
  const { metadata, spec, status } = await world.read(world.ref);
  expectThat(
    metadata.finalizers?.includes(world.finalizer) === true,
    `finalizer ${world.finalizer} after the first pass`,
    metadata.finalizers ?? [],
  );
  expectThat(JSON.stringify(spec) === JSON.stringify(before.spec), 'the spec as it was before the finalizer', spec);
  expectThat(status === undefined, 'no status before the finalizer', status);
}

async function becomesReady(setup: ConformanceSetup): Promise<void> {
  const world = await beginWorld(setup);
  await world.settle(
    object => isProvisioned(object, setup),
    async () => {
      const end = await world.pass();
      expectEndpoint(await world.find(), world);
      return end;
    },
  );
  const object = await world.settleReady();
  expectCondition(object, 'Ready', { status: 'True' });
  expectCondition(object, 'Paused', { status: 'False', reason: 'NotPaused', message: '' });
}

/** The Cluster copies the endpoint in each pass in which the flag is true. */
function expectEndpoint(object: Unstructured | undefined, { setup }: ConformanceWorld): void {
  const endpoint = valueOr(readEndpoint(object), zeroEndpoint);
  const isThere = setup.endpoint === 'fromCluster' || isValidEndpoint(endpoint);
  expectThat(!isProvisioned(object, setup) || isThere, 'an endpoint before the flag that says provisioned', endpoint);
}

async function staysSilent(setup: ConformanceSetup): Promise<void> {
  const world = await beginWorld(setup);
  const before = await world.settleReady();
  await world.pass();
  await world.pass();
  expectUntouched(before, await world.find());
}

async function keepsCluster(setup: ConformanceSetup): Promise<void> {
  const world = await beginWorld(setup);
  const before = await world.read(world.cluster);
  await world.settleReady();
  expectUntouched(before, await world.read(world.cluster));
}

async function reportsDomains(setup: ConformanceSetup): Promise<void> {
  const world = await beginWorld(setup);
  const found = readFailureDomains(await world.settleReady(), toCoreContract(setup));
  expectThat(found.state !== 'wrongType', 'failure domains in the form of the contract', found);
  const names = valueOr(found, []).map(({ name }) => name);
  expectThat(new Set(names).size === names.length, 'each failure domain once', names);
  const wanted = setup.failureDomains?.toSorted();
  expectThat(
    wanted === undefined || JSON.stringify(names) === JSON.stringify(wanted),
    `the failure domains ${wanted?.join(', ')}`,
    names,
  );
}

/** The contract version with which the Cluster's controller reads the object. */
function toCoreContract({ contract }: ConformanceSetup): ContractVersion {
  return contract === 'v1beta2' ? 'v1beta2' : 'v1beta1';
}

export function expectUntouched(before: Unstructured, after: Unstructured | undefined): void {
  expectThat(
    after?.metadata.resourceVersion === before.metadata.resourceVersion,
    `no write to ${before.kind} ${before.metadata.name}`,
    after,
  );
}
