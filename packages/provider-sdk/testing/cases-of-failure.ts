// Cases of temporary and permanent failures of external resources.
import { providerPaths, readFailureMessage, readFailureReason } from '@capi-serverless/cluster-api/contract';
import { beginWorld, type ConformanceWorld, isProvisioned } from './conformance-fixture.ts';
import { conditionOf, expectCondition, expectThat } from './expectations.ts';
import type { ConformanceCase, ConformanceSetup, ConformanceStep } from './setup.ts';

type Failure = NonNullable<ConformanceSetup['failure']>;

/** Cases that run if the setup can inject the failure. */
export function failureCases(setup: ConformanceSetup): readonly ConformanceCase[] {
  const { failure, terminal } = setup;
  return [
    ...(failure === undefined
      ? []
      : [
          { name: 'reports a failure, and recovers from it', run: () => mending(failure, recovers(setup, failure)) },
          {
            name: 'stays provisioned when something breaks later',
            run: () => mending(failure, breaksLater(setup, failure)),
          },
          {
            name: 'can be deleted while it fails',
            run: () => mending(failure, deletesFailing(setup, failure.inject)),
          },
        ]),
    ...(terminal === undefined
      ? []
      : [
          {
            name: 'reports a permanent failure, and makes no further calls',
            run: () => failsForGood(setup, terminal.inject),
          },
          { name: 'can be deleted after a terminal failure', run: () => deletesFailing(setup, terminal.inject) },
        ]),
  ];
}

/** Always repairs the failure, because it would affect the other cases. */
async function mending({ mend }: Failure, ended: Promise<void>): Promise<void> {
  try {
    await ended;
  } finally {
    if (typeof mend === 'function') {
      await mend('');
    }
  }
}

async function recovers(setup: ConformanceSetup, { inject, mend }: Failure): Promise<void> {
  const world = await beginWorld(setup);
  await world.take(inject);
  await settleBroken(world);
  expectThat(!isProvisioned(await world.find(), setup), 'nothing to be provisioned while it fails');
  await world.take(mend);
  await world.settleReady();
}

async function breaksLater(setup: ConformanceSetup, { inject, mend }: Failure): Promise<void> {
  const world = await beginWorld(setup);
  await world.settleReady();
  await world.take(inject);
  await settleBroken(world);
  expectThat(isProvisioned(await world.find(), setup), 'the flag to stay true');
  await world.take(mend);
  await world.settleReady();
}

async function failsForGood(setup: ConformanceSetup, inject: ConformanceStep): Promise<void> {
  const world = await beginWorld(setup);
  await world.take(inject);
  await settleBroken(world);
  const before = await world.read(world.ref);
  const reason = readFailureReason(before);
  const message = readFailureMessage(before);
  const hasFields = reason.state === 'value' && message.state === 'value';
  const needsFields = providerPaths[setup.contract].failure !== undefined;
  expectThat(hasFields === needsFields, `failure fields only in contracts before v1beta2`, { reason, message });
  await world.pass();
  const after = await world.find();
  expectThat(after?.metadata.resourceVersion === before.metadata.resourceVersion, 'no further write', after?.status);
  expectCondition(after, 'Ready', { status: 'False' });
}

async function deletesFailing(setup: ConformanceSetup, inject: ConformanceStep): Promise<void> {
  const world = await beginWorld(setup);
  await world.take(inject);
  await settleBroken(world);
  await world.remove(world.ref);
  await world.settleGone();
}

/** A provider that has not finished is not ready either. The state must be stable. */
function settleBroken(world: ConformanceWorld): Promise<void> {
  return world.settle(object => conditionOf(object, 'Ready')?.status === 'False');
}
