// Cases for a Cluster of an actuator, from its creation to its deletion.
import { readString, valueOr } from '@capi-serverless/cluster-api/contract';
import type { PassEnd } from '@capi-serverless/reconciler/runner';
import { type ActuatorWorld, beginActuatorWorld, unknownUid } from './actuator-fixture.ts';
import { aroundWrites } from './around-writes.ts';
import { expectUntouched } from './cases-of-creation.ts';
import { expectThat } from './expectations.ts';
import type { ActuatorConformanceSetup, ConformanceCase, ConformanceStep } from './setup.ts';

export function actuatorCases(setup: ActuatorConformanceSetup): readonly ConformanceCase[] {
  return [
    { name: 'stores its finalizer before it does anything else', run: () => storesFinalizer(setup) },
    { name: 'settles, and then writes nothing', run: () => rests(setup) },
    { name: 'writes to its own object and to nothing else', run: () => keepsToItself(setup) },
    { name: 'is deleted after it settled', run: () => goes(setup, world => world.settleReady()) },
    { name: 'is deleted after its first call', run: () => goes(setup, world => world.pass()) },
    { name: 'does not change an object in deletion without its finalizer', run: () => leavesAlone(setup) },
    ...(setup.child === undefined
      ? []
      : [
          { name: 'is deleted after its children', run: () => letsChildrenGo(setup) },
          {
            name: 'treats only objects that reference it as owner as its children',
            run: () => keepsUnrelatedObjects(setup),
          },
        ]),
    ...failureCases(setup),
  ];
}

/** Failure cases. They run if the setup can inject the failure. */
function failureCases(setup: ActuatorConformanceSetup): readonly ConformanceCase[] {
  const { failure, terminal } = setup;
  return [
    ...(failure === undefined
      ? []
      : [
          { name: 'is called again while it fails, and recovers', run: () => mending(setup, recovers) },
          { name: 'is deleted when its failure is repaired', run: () => mending(setup, goesMended) },
        ]),
    ...(terminal === undefined
      ? []
      : [
          {
            name: 'reports a permanent failure, and is not called again',
            run: () => failsForGood(setup, terminal.inject),
          },
          {
            name: 'is deleted after a terminal failure',
            run: () => goes(setup, world => failForGood(world, terminal.inject)),
          },
        ]),
  ];
}

async function storesFinalizer(setup: ActuatorConformanceSetup): Promise<void> {
  const world = await beginActuatorWorld(setup);
  const before = await world.read(world.ref);
  await world.pass();
  const { metadata, spec, status } = await world.read(world.ref);
  const found = metadata.finalizers ?? [];
  expectThat(found.includes(world.finalizer), `finalizer ${world.finalizer} after the first pass`, found);
  expectThat(JSON.stringify(spec) === JSON.stringify(before.spec), 'the spec as it was before the finalizer', spec);
  expectThat(JSON.stringify(status) === JSON.stringify(before.status), 'no status before the finalizer', status);
}

async function rests(setup: ActuatorConformanceSetup): Promise<void> {
  const world = await beginActuatorWorld(setup);
  const before = await world.settleReady();
  await world.pass();
  await world.pass();
  expectUntouched(before, await world.find());
}

async function keepsToItself(setup: ActuatorConformanceSetup): Promise<void> {
  const world = await beginActuatorWorld(setup);
  const others: string[] = [];
  const watched = aroundWrites(setup.kubernetes(), (target, send) => {
    const isOwn = target.kind === world.ref.kind && target.apiVersion === world.ref.apiVersion;
    if (!isOwn || target.name !== world.ref.name) {
      others.push(`${target.apiVersion} ${target.kind} ${target.name}`);
    }
    return send();
  });
  await world.settleReady(() => world.pass(watched));
  await world.remove(world.ref);
  await world.settleGone(() => world.pass(watched));
  expectThat(others.length === 0, 'no write to other objects', others);
}

async function goes(
  setup: ActuatorConformanceSetup,
  prepare: (world: ActuatorWorld) => Promise<unknown>,
): Promise<void> {
  const world = await beginActuatorWorld(setup);
  await prepare(world);
  await world.remove(world.ref);
  const held = await world.find();
  expectThat(held?.metadata.finalizers?.includes(world.finalizer) === true, 'the finalizer to hold the object', held);
  await world.settleGone();
}

async function leavesAlone(setup: ActuatorConformanceSetup): Promise<void> {
  const finalizers = ['conformance.capi-serverless.dev/hold'];
  const world = await beginActuatorWorld(setup, { finalizers });
  await world.remove(world.ref);
  const before = await world.read(world.ref);
  await world.pass();
  expectUntouched(before, await world.find());
}

async function letsChildrenGo(setup: ActuatorConformanceSetup): Promise<void> {
  const world = await beginActuatorWorld(setup);
  await world.settleReady();
  const child = await world.addChild();
  await world.remove(world.ref);
  await world.pass();
  await world.pass();
  const { deletionTimestamp } = (await world.read(child)).metadata;
  expectThat(deletionTimestamp !== undefined, `${child.kind} ${child.name} to be deleted`);
  const held = await world.find();
  expectThat(held?.metadata.finalizers?.includes(world.finalizer) === true, 'the Cluster to wait for its child', held);
  await world.patch({ metadata: { finalizers: null } }, child);
  await world.settleGone();
}

async function keepsUnrelatedObjects(setup: ActuatorConformanceSetup): Promise<void> {
  const world = await beginActuatorWorld(setup);
  await world.settleReady();
  const unowned = await world.addChild(unknownUid);
  await world.remove(world.ref);
  await world.settleGone();
  // The garbage collector may delete an object whose owner does not exist. Its finalizer stays.
  const { finalizers = [] } = (await world.read(unowned)).metadata;
  expectThat(finalizers.length > 0, 'what others own to stay', finalizers);
}

async function mending(
  setup: ActuatorConformanceSetup,
  run: (world: ActuatorWorld, failure: NonNullable<ActuatorConformanceSetup['failure']>) => Promise<void>,
): Promise<void> {
  const { failure } = setup;
  expectThat(failure !== undefined, 'a setup that injects and repairs a failure');
  try {
    await run(await beginActuatorWorld(setup), failure);
  } finally {
    if (typeof failure.mend === 'function') {
      await failure.mend('');
    }
  }
}

type Failing = Parameters<typeof mending>[1];

const recovers: Failing = async (world, { inject, mend }) => {
  await world.take(inject);
  await settleFailing(world);
  await world.take(mend);
  await world.settleReady();
};

const goesMended: Failing = async (world, { inject, mend }) => {
  await world.settleReady();
  await world.take(inject);
  await world.pass();
  await world.remove(world.ref);
  await world.pass();
  // A failure that cannot be repaired need not block the deletion.
  if (typeof mend === 'function' || (await world.find()) !== undefined) {
    await world.take(mend);
  }
  await world.settleGone();
};

/** A failure or a wait needs another call, because the end of its cause sends no event. */
function settleFailing(world: ActuatorWorld): Promise<void> {
  return world.settle((_object, last) => isCalledAgain(last));
}

function isCalledAgain(last: unknown): boolean {
  const end = last as PassEnd | undefined; // True: it is the result of a pass.
  return (
    end?.kind === 'reported' &&
    (end.result.kind === 'requeueAfter' || (end.result.kind === 'failed' && !end.result.terminal))
  );
}

async function failForGood(world: ActuatorWorld, inject: ConformanceStep): Promise<void> {
  await world.take(inject);
  await world.settle(
    object =>
      object?.metadata.finalizers?.includes(world.finalizer) === true &&
      valueOr(readString(object, 'status.errorReason'), '') !== '',
  );
}

async function failsForGood(setup: ActuatorConformanceSetup, inject: ConformanceStep): Promise<void> {
  const world = await beginActuatorWorld(setup);
  await failForGood(world, inject);
  const before = await world.read(world.ref);
  const message = valueOr(readString(before, 'status.errorMessage'), '');
  expectThat(message !== '', 'a message beside the reason', before.status);
  const end = await world.pass();
  const isDone = end?.kind === 'reported' && end.result.kind === 'done';
  expectThat(isDone, 'no further request', end);
  expectUntouched(before, await world.find());
}
