// Determines when a run is quiescent: no message, no retry, and no write for some time.
import { isJsonObject } from '@capi-serverless/apimachinery';
import { deadLetterQueueOf, delayQueue } from '../../../shared/workqueue/queue-names.ts';
import type { Engine } from '../engine/process.ts';
import { nonsenseMark } from '../system/disturbances.ts';
import type { System } from '../system/system.ts';
import { StuckError, sleep } from '../system/user.ts';
import type { Monitor } from './monitor.ts';

/** The time is longer than any timer that causes a write, and than any retry delay of an event source. */
const quietMs = 70_000;
const lookEveryMs = 1_000;
const patienceMs = 6 * 3_600_000;

/**
 * Throws StuckError if the run does not become quiescent. As in production, the resync repairs missed changes after a
 * dead letter.
 */
export async function untilQuiet(engine: Engine, system: System, monitor: Monitor): Promise<void> {
  await sleep(engine, quietMs);
  await rest(engine, () => isQuiet(engine, system, monitor));
  if (deadLetters(system).some(body => !isNonsense(body)) && engine.resyncPeriodMs === undefined) {
    system.resync();
    await sleep(engine, 650_000);
    await rest(engine, () => isQuiet(engine, system, monitor));
  }
  if (engine.resyncPeriodMs !== undefined) {
    await outlastLosses(engine, engine.resyncPeriodMs, () => isQuiet(engine, system, monitor));
  }
  const letters = deadLetters(system);
  if (letters.every(isNonsense)) {
    monitor.rested();
  }
  const nonsense = letters.filter(isNonsense).length;
  if (nonsense !== system.queues.nonsense) {
    monitor.violation(`I8: of ${system.queues.nonsense} nonsensical messages ${nonsense} became dead letters`);
  }
}

/** A repair by the resync makes changes that may be lost, too. The next resync finds them. */
async function outlastLosses(engine: Engine, periodMs: number, isOver: () => boolean): Promise<void> {
  const { now } = engine.scheduler;
  await sleep(engine, 2 * periodMs);
  await rest(engine, isOver);
  if (engine.lastLossAt !== undefined && engine.lastLossAt >= now) {
    await outlastLosses(engine, periodMs, isOver);
  }
}

/** Waits until all work is done. */
export function untilServed(engine: Engine, system: System): Promise<void> {
  return rest(engine, () => system.isIdle() && isEmpty(system));
}

async function rest(engine: Engine, isOver: () => boolean): Promise<void> {
  const impatientAt = engine.scheduler.now + patienceMs;
  do {
    await sleep(engine, lookEveryMs);
    if (engine.scheduler.now > impatientAt) {
      throw new StuckError('The system did not settle');
    }
  } while (!isOver());
}

function isQuiet(engine: Engine, system: System, monitor: Monitor): boolean {
  return engine.scheduler.now - monitor.lastCommitAt > quietMs && system.isIdle() && isEmpty(system);
}

/** Periodic timers and resyncs do not end. A retry means that work is pending. */
function isEmpty(system: System): boolean {
  const { queues } = system;
  return (
    queues.busy.every(queue => queues.memory.messages(queue).length === 0) &&
    queues.memory.messages(delayQueue).every(({ body }) => !isNonsense(body) && !isRetry(body))
  );
}

function isRetry(body: string): boolean {
  const request: unknown = JSON.parse(body);
  return isJsonObject(request) && request['attempt'] !== 0;
}

function isNonsense(body: string): boolean {
  return body.includes(nonsenseMark);
}

/** An outage of the API server must produce no dead letters. */
export function checkDeadLetters(system: System, monitor: Monitor): void {
  for (const body of deadLetters(system)) {
    monitor.violation(`D15: an outage made a dead letter of ${body}`);
  }
}

function deadLetters(system: System): readonly string[] {
  const { queues } = system;
  return [...queues.busy, delayQueue].flatMap(queue =>
    queues.memory.messages(deadLetterQueueOf(queue)).map(({ body }) => body),
  );
}
