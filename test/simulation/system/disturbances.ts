// External faults: forwarders are killed, history expires, unreadable messages arrive, and the next version is
// deployed.
import { hash } from 'node:crypto';
import { delayQueue, isFifo } from '../../../shared/workqueue/queue-names.ts';
import type { Engine } from '../engine/process.ts';
import { olderField } from './simulated-queues.ts';
import type { System } from './system.ts';

const secondMs = 1_000;

/** Marks messages that are not from the product. They must become dead letters. */
export const nonsenseMark = 'nonsense';

/** Executes random faults once per second until it is stopped. */
export function startDisturbances(engine: Engine, system: System): { stop(): void } {
  const { scheduler } = engine;
  const { rates } = engine.faults;
  const random = engine.random.fork('disturbances');
  const chances: readonly (readonly [number, () => void])[] = [
    [rates.forwarderKill, () => killForwarder(engine, system)],
    [rates.compaction, () => forget(engine, system)],
    [rates.nonsense, () => sendNonsense(engine, system, random.below(1_000_000))],
    [rates.deployment, () => deploy(engine, system)],
  ];
  if (engine.faults.outage !== undefined) {
    scheduler.after(engine.faults.outage.beginsAfterMs, () => restart(system));
  }
  let stopped = false;
  const tick = (): void => {
    if (stopped) {
      return;
    }
    for (const [chance, act] of chances) {
      if (random.chance(chance)) {
        act();
      }
    }
    scheduler.after(secondMs, tick);
  };
  if (chances.some(([chance]) => chance > 0)) {
    system.queues.older = rates.deployment > 0;
    tick();
  }
  return {
    stop() {
      stopped = true;
    },
  };
}

/** During an outage, idle processes are cold. They have not connected to the API server yet. */
function restart({ lambdas }: Pick<System, 'lambdas'>): void {
  for (const lambda of lambdas.values()) {
    lambda.deploy();
  }
}

/** Always selects the same forwarder, so that the other of two forwarders runs without interruption. */
function killForwarder({ trace, scheduler }: Engine, { forwarders }: System): void {
  trace.fault(scheduler.now, 'kill the first forwarder');
  forwarders.kill(0);
}

function forget({ trace, scheduler }: Engine, { api }: System): void {
  trace.fault(scheduler.now, 'the API server forgets its history');
  api.core.compact();
}

/** New functions and forwarders replace the old ones. Messages of the old version remain in the queues. */
function deploy({ trace, scheduler }: Engine, { queues, lambdas, forwarders }: System): void {
  const former = [...queues.busy, delayQueue]
    .flatMap(queue => queues.memory.messages(queue))
    .filter(({ body }) => body.includes(olderField));
  trace.fault(scheduler.now, `the next version is deployed, ${former.length} messages of the former one in flight`);
  queues.older = false;
  forwarders.replace();
  restart({ lambdas });
}

function sendNonsense({ trace, scheduler }: Engine, { queues, managementCluster }: System, draw: number): void {
  const request = {
    v: 1,
    reconciler: 'cluster',
    key: { managementCluster, group: 'cluster.x-k8s.io', kind: 'Cluster', namespace: 'ns', name: 'c1' },
    cause: 'event',
    attempt: 0,
    trace: nonsenseMark,
  };
  const bodies = [
    nonsenseMark,
    JSON.stringify({ [nonsenseMark]: true }),
    JSON.stringify({ ...request, v: 99 }),
    JSON.stringify({ ...request, attempt: -1 }),
    JSON.stringify({ ...request, key: { ...request.key, managementCluster: 'another' } }),
    JSON.stringify({ ...request, reconciler: 'unknown' }),
    JSON.stringify({ ...request, key: { ...request.key, kind: 'Secret' } }),
  ];
  // The last three have defects that only the function of a work queue detects.
  const targets = ['work-cluster.fifo', 'delay', 'expand'];
  const queue = queues.toActual(targets[draw % targets.length] ?? 'delay');
  const usable = isFifo(queue) ? bodies : bodies.slice(0, 4);
  const body = usable[draw % usable.length] ?? nonsenseMark;
  // Two messages may have the same random content. SQS deduplicates by id, and each message must become a dead letter.
  const id = hash('sha256', `${queues.nonsense}/${draw}`, 'base64url');
  trace.fault(scheduler.now, `nonsense in ${queue}: ${body}`);
  queues.nonsense += 1;
  void queues.memory.send(queue, [isFifo(queue) ? { body, groupId: id, deduplicationId: id } : { body }]);
  queues.notify(queue);
}
