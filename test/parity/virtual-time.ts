// The functions and event sources of the simulation for one scenario in virtual time, without faults of processes.
import type { Instant } from '@capi-serverless/apimachinery';
import { delayQueue, expandQueue, workQueueOf } from '../../shared/workqueue/queue-names.ts';
import { type Faults, noFaults } from '../simulation/engine/faults.ts';
import type { Engine } from '../simulation/engine/process.ts';
import { createRandom } from '../simulation/engine/random.ts';
import { Scheduler } from '../simulation/engine/scheduler.ts';
import { createTrace } from '../simulation/engine/trace.ts';
import type { RunningSystem, SystemOptions } from '../simulation/system/system.ts';

export interface Performance<T> {
  readonly result: T;
  /** The stacks of unexpected errors, and the invocations that did not end. */
  readonly defects: readonly string[];
}

interface VirtualTime {
  readonly engine: Engine;
  readonly defects: string[];
  /** The metrics of a system in this time, with one forwarder. */
  readonly options: Omit<SystemOptions, 'world' | 'reconcilers'>;
  /** Runs the scenario, then ends all processes. */
  run<T>(play: () => Promise<T>): Promise<Performance<T>>;
}

interface TimeOptions {
  readonly faults?: Faults;
  /** The maximum number of steps. Default: as in `Scheduler`. */
  readonly mostSteps?: number;
}

export function createVirtualTime(name: string, start: Instant, options: TimeOptions = {}): VirtualTime {
  const engine = createEngine(name, start, options);
  const defects: string[] = [];
  const nothing = (): void => {};
  return {
    engine,
    defects,
    options: {
      engine,
      forwarders: 1,
      audit: false,
      onServed: nothing,
      onAnswered: nothing,
      onMetric: nothing,
      onInvocation: event => {
        defects.push(...(event.type === 'ends' && !event.answered ? [`${event.process.name} did not answer`] : []));
      },
      onLog: ({ fields: { stack } }) => {
        defects.push(...(stack === undefined ? [] : [String(stack)]));
      },
    },
    run: async play => ({ result: await runUntilOver(engine, play), defects }),
  };
}

function createEngine(name: string, start: Instant, { faults = noFaults, mostSteps }: TimeOptions): Engine {
  return {
    scheduler: new Scheduler(start, mostSteps),
    random: createRandom(`parity/${name}`),
    trace: createTrace(start, { keep: false }),
    faults,
    resyncPeriodMs: undefined,
    largestSkewMs: 0,
    calls: 0,
    writes: [],
    forwarderCalls: [],
    atTheEnd: [],
  };
}

async function runUntilOver<T>({ scheduler, atTheEnd }: Engine, play: () => Promise<T>): Promise<T> {
  let isOver = false;
  const playing = play().finally(() => {
    isOver = true;
  });
  // The caller handles the error at the end.
  playing.catch(() => {});
  try {
    await scheduler.run(() => isOver);
  } finally {
    for (const end of atTheEnd) {
      end();
    }
  }
  if (!isOver) {
    throw new Error('The scheduler has no step left, and the play is not over');
  }
  return playing;
}

/**
 * Returns true if no function runs, no message is in a queue, no timer is due, and the forwarder has sent its messages.
 */
export function isIdle(
  { scheduler }: Pick<Engine, 'scheduler'>,
  { queues: { memory }, declarations, ...system }: RunningSystem,
): boolean {
  const queues = [...declarations.map(({ name }) => workQueueOf(name)), expandQueue];
  return (
    system.isIdle() &&
    queues.every(queue => memory.messages(queue).length === 0) &&
    (memory.nextVisibleAt(delayQueue) ?? Number.POSITIVE_INFINITY) > scheduler.now
  );
}
