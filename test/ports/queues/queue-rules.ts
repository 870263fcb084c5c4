// The queue rules of the kernel, end to end: production handlers with event source mappings, a fake reconciler, and
// injected faults.

import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { type Result, RetryableError } from '@capi-serverless/reconciler';
import type { SQSEvent } from 'aws-lambda';
import { expect, it, onTestFinished } from 'vitest';
import type { Queues } from '../../../shared/workqueue/port.ts';
import type { QueueSpec } from '../../../shared/workqueue/queue-specs.ts';
import { aWidget, widgetCrd, widgetRef } from '../../support/kernel.ts';
import { createMemoryApi, type MemoryApi } from '../../support/memory-api.ts';
import { type CrashPoint, QueueWorld, type Visit, worldQueues } from '../../support/polled-queues.ts';

/**
 * A limit of real time, for invocations and for messages in flight. No invocation of the test reaches it, also on a
 * loaded machine. The messages of a crashed invocation do not wait for it, because the test makes them visible.
 */
const invocationSeconds = 900;

export const ruleQueues: readonly QueueSpec[] = worldQueues.map(spec => ({
  ...spec,
  visibilityTimeoutSeconds: invocationSeconds,
}));

const names = Array.from({ length: 12 }, (_, index) => `w${index}`);
const changes = 72;
const quietWithinMs = 500_000;

interface RequestedStart {
  readonly name: string;
  /** The earliest start of one reconcile. */
  readonly from: number;
}

/** The results of reconciles: a few timers, retries and messages to itself per object, then none. */
function aPlan(requestedStarts: RequestedStart[]): (visit: Visit) => Result {
  const visits = new Map<string, number>();
  const ends: readonly (Result | undefined)[] = [
    { kind: 'requeueAfter', ms: 1000 },
    undefined,
    { kind: 'again' },
    { kind: 'failed', error: new RetryableError('Failing as planned'), terminal: false },
    undefined,
    { kind: 'requeueAfter', ms: 2000 },
  ];
  return ({ name }) => {
    const number = visits.get(name) ?? 0;
    visits.set(name, number + 1);
    const result = ends[number] ?? { kind: 'done' };
    if (result.kind !== 'done') {
      const waitMs = result.kind === 'requeueAfter' ? result.ms : result.kind === 'failed' ? 1000 : 0;
      requestedStarts.push({ name, from: systemClock.now() + waitMs });
    }
    return result;
  };
}

/** Every fifth invocation crashes, except those with a message that was lost twice before. */
function aCrashPlan(): (event: SQSEvent) => CrashPoint | undefined {
  let invocations = 0;
  return ({ Records: records }) => {
    if (records.some(({ attributes }) => Number(attributes.ApproximateReceiveCount) > 2)) {
      return undefined;
    }
    invocations += 1;
    return invocations % 10 === 5 ? 'before' : invocations % 10 === 0 ? 'after' : undefined;
  };
}

function everyTenth(): () => boolean {
  let sends = 0;
  return () => {
    sends += 1;
    return sends % 10 === 0;
  };
}

async function change(api: MemoryApi, world: QueueWorld, number: number): Promise<void> {
  const ref = { ...widgetRef, name: names[number % names.length] ?? '' };
  const answer = await api.others.mergePatch(ref, { spec: { number } });
  if (!answer.ok) {
    throw new Error(`Changing ${ref.name} failed: ${answer.failure.message}`);
  }
  await world.sendEvent(answer.value.metadata);
  if (number % 5 === 0) {
    await world.sendEvent(answer.value.metadata);
  }
}

async function quiet(world: QueueWorld): Promise<void> {
  const deadline = systemClock.now() + quietWithinMs;
  for (let empty = 0; empty < 3; ) {
    await systemClock.sleep(200);
    empty = (await world.pending()) === 0 ? empty + 1 : 0;
    if (systemClock.now() > deadline) {
      throw new Error(`${await world.pending()} messages are left after ${quietWithinMs} ms`);
    }
  }
}

export function queueRules(create: () => Promise<{ readonly queues: Queues; stop(): Promise<void> }>): void {
  it('lose no change and no timer, never overlap, and leave no dead letter, despite crashes and rejected sends', async () => {
    const { queues, stop } = await create();
    const api = createMemoryApi({ crds: [widgetCrd] });
    api.given(...names.map(name => aWidget({ metadata: { name } })));
    const requestedStarts: RequestedStart[] = [];
    const world = new QueueWorld({
      queues,
      clock: systemClock,
      api,
      workMs: 5,
      timeoutSeconds: invocationSeconds,
      // Longer than each timer of the plan: if a queue rejects a timer, the repeated delivery serves it.
      redeliverySeconds: 3,
      plan: aPlan(requestedStarts),
      crash: aCrashPlan(),
      refuse: everyTenth(),
    });
    onTestFinished(async () => {
      await world.stop();
      await stop();
    });
    world.start();
    for (let number = 0; number < changes; number += 1) {
      await change(api, world, number);
    }
    await quiet(world);
    const lastSeen = (name: string) => world.visits.findLast(visit => visit.name === name)?.resourceVersion;
    const unserved = requestedStarts.filter(
      ({ name, from }) => !world.visits.some(visit => visit.name === name && visit.startedAt >= from),
    );
    expect(requestedStarts.length).toBeGreaterThanOrEqual(names.length);
    expect(Object.fromEntries(names.map(name => [name, lastSeen(name)]))).toEqual(
      Object.fromEntries(names.map(name => [name, api.read({ ...widgetRef, name }).metadata.resourceVersion])),
    );
    expect({ unserved, overlaps: world.overlaps, dead: await world.deadLetters() }).toEqual({
      unserved: [],
      overlaps: [],
      dead: [],
    });
  });
}
