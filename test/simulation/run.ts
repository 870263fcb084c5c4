// One run: a workload, a seed and its faults; then calm, rest, one more look at every object, and the judgement.

import type { Instant } from '../../shared/api/object.ts';
import type { QueueDesign } from '../../shared/workqueue/queue-design.ts';
import { type Faults, noFaults } from './engine/faults.ts';
import type { Engine } from './engine/process.ts';
import { createRandom } from './engine/random.ts';
import { Scheduler } from './engine/scheduler.ts';
import { createTrace, type Trace } from './engine/trace.ts';
import { type EndState, toEndState } from './oracles/end-state.ts';
import { Monitor } from './oracles/monitor.ts';
import { untilQuiet } from './oracles/quiet.ts';
import { lookAtEverything } from './oracles/silence.ts';
import { startDisturbances } from './system/disturbances.ts';
import { createSystem, type System, type SystemParts } from './system/system.ts';
import { createUser, StuckError, sleep } from './system/user.ts';
import { toWorld, type World } from './system/world.ts';
import type { Given, Workload } from './workloads/workload.ts';

export interface RunOptions {
  readonly workload: Workload;
  readonly seed: string;
  readonly faults?: Faults;
  /** Default 1. */
  readonly forwarders?: number;
  /** Whether audit events are a source, too. */
  readonly audit?: boolean;
  /** `undefined`: no resync runs. */
  readonly resyncPeriodMs?: number;
  /** Default 'default'. */
  readonly queueDesign?: QueueDesign;
  /** How far clocks are off at most; default 500. */
  readonly largestSkewMs?: number;
  /** Keeps every line of the trace. */
  readonly trace?: boolean;
  /** Replaces parts of the product: for tests that the oracles see a defect. */
  readonly system?: Partial<SystemParts>;
}

export interface RunResult {
  /** What was wrong in itself; the end state is compared by whoever has the undisturbed one. */
  readonly violations: readonly string[];
  readonly end: EndState;
  /** Calls that processes of the product made before the last look. */
  readonly calls: number;
  /** The numbers of those that change something. */
  readonly writes: readonly number[];
  readonly steps: number;
  readonly virtualSeconds: number;
  readonly trace: Trace;
}

const firstInstant = Date.parse('2026-01-01T00:00:00Z');

const worlds = new WeakMap<Given, Promise<World>>();

/** Made once per process. Throws when even that goes wrong. */
function worldOf({ given, reconcilers }: Workload): Promise<World | undefined> {
  if (given === undefined) {
    return Promise.resolve(undefined);
  }
  const known = worlds.get(given);
  if (known !== undefined) {
    return known;
  }
  const workload = { ...given, about: 'What others begin with', ...(reconcilers === undefined ? {} : { reconcilers }) };
  const made = play({ workload, seed: 'given' }, undefined).then(({ result, system, now }) => {
    if (result.violations.length > 0) {
      throw new Error(`What begins with ${given.name} cannot: ${result.violations.join('; ')}`);
    }
    return toWorld(system, now);
  });
  worlds.set(given, made);
  return made;
}

export async function runSimulation(options: RunOptions): Promise<RunResult> {
  const { result } = await play(options, await worldOf(options.workload));
  return result;
}

interface Played {
  readonly result: RunResult;
  readonly system: System;
  readonly now: Instant;
}

async function play(options: RunOptions, world: World | undefined): Promise<Played> {
  const { workload, seed, faults = noFaults } = options;
  const start = world?.at ?? firstInstant;
  const scheduler = new Scheduler(start);
  const trace = createTrace(start, { keep: options.trace === true });
  const { resyncPeriodMs, largestSkewMs = 500, queueDesign = 'default' } = options;
  const random = createRandom(`${workload.name}/${seed}`);
  const engine: Engine = {
    scheduler,
    random,
    trace,
    faults,
    resyncPeriodMs,
    largestSkewMs,
    queueDesign,
    calls: 0,
    writes: [],
    atTheEnd: [],
  };
  const monitor = new Monitor(engine);
  const system = createSystem({
    engine,
    world,
    forwarders: options.forwarders ?? 1,
    audit: options.audit === true,
    onServed: monitor.served,
    onAnswered: monitor.answered,
    onLog: monitor.logged,
    onMetric: monitor.counted,
    onInvocation: monitor.invocation,
    ...(workload.reconcilers === undefined ? {} : { reconcilers: workload.reconcilers }),
    ...options.system,
  });
  monitor.watch(system);
  let calls = 0;
  let over = false;
  const story = async (): Promise<void> => {
    const disturbances = startDisturbances(engine, system);
    await workload.script(createUser(engine, system));
    await sleep(engine, engine.random.between(0, 10_000));
    disturbances.stop();
    engine.faults = { ...noFaults, rates: { ...noFaults.rates, lostEvent: faults.rates.lostEvent } };
    await untilQuiet(engine, system, monitor);
    calls = engine.calls;
    await lookAtEverything(engine, system, monitor);
  };
  const telling = story().then(
    () => {
      over = true;
    },
    (error: unknown) => {
      over = true;
      monitor.violation(
        error instanceof StuckError ? error.message : String(error instanceof Error ? error.stack : error),
      );
    },
  );
  try {
    await scheduler.run(() => over);
    await Promise.race([telling, Promise.resolve()]);
  } catch (error) {
    monitor.violation(String(error));
  }
  const result = {
    violations: [...monitor.violations],
    end: toEndState(system, monitor),
    calls,
    writes: engine.writes.filter(number => number <= calls),
    steps: scheduler.steps,
    virtualSeconds: (scheduler.now - start) / 1000,
    trace,
  };
  for (const end of engine.atTheEnd) {
    end();
  }
  return { result, system, now: scheduler.now };
}
