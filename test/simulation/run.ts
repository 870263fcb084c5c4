// One run: a workload with a seed and its faults. After quiescence, every object is reconciled again, and the oracles
// check the result.

import { setImmediate } from 'node:timers/promises';
import type { Instant } from '@capi-serverless/apimachinery';
import { type Faults, noFaults } from './engine/faults.ts';
import type { Engine } from './engine/process.ts';
import { createRandom } from './engine/random.ts';
import { Scheduler } from './engine/scheduler.ts';
import { createTrace, type Trace } from './engine/trace.ts';
import { type EndState, toEndState } from './oracles/end-state.ts';
import { Monitor } from './oracles/monitor.ts';
import { checkDeadLetters, untilQuiet } from './oracles/quiet.ts';
import { lookAtEverything } from './oracles/silence.ts';
import { startDisturbances } from './system/disturbances.ts';
import type { InvocationEvent } from './system/event-source-mapping.ts';
import { reconcilersOf } from './system/reconcilers.ts';
import { type SimulatedWorld, toWorld } from './system/stored-state.ts';
import { createSystem, type System, type SystemParts } from './system/system.ts';
import { createUser, StuckError, sleep } from './system/user.ts';
import type { InitialState, Workload } from './workloads/workload.ts';

export interface SimulationRunOptions {
  readonly workload: Workload;
  readonly seed: string;
  readonly faults?: Faults;
  /** The number of forwarders. Default: 1. */
  readonly forwarders?: number;
  /** Whether audit events are also a source. */
  readonly audit?: boolean;
  /** If `undefined`, no resync runs. */
  readonly resyncPeriodMs?: number;
  /** The largest clock skew. Default: 500. */
  readonly largestSkewMs?: number;
  /** Whether to keep every line of the trace. */
  readonly trace?: boolean;
  /** Called when an invocation begins, before its first call. `world` returns the stored state at that time. */
  readonly onInvocation?: (invoked: Invoked, world: () => SimulatedWorld) => void;
  /** Replaces parts of the product, for tests that prove that the oracles detect a defect. */
  readonly system?: Partial<SystemParts>;
}

type Invoked = Extract<InvocationEvent, { readonly type: 'begins' }>;

export interface RunResult {
  /** The violations of this run only. The caller compares the final state with that of the run without faults. */
  readonly violations: readonly string[];
  readonly end: EndState;
  /** Calls of the product's processes before the final reconciles. */
  readonly calls: number;
  /** The numbers of the calls that change something. */
  readonly writes: readonly number[];
  /** The numbers of the calls of forwarders. */
  readonly forwarderCalls: readonly number[];
  readonly steps: number;
  readonly virtualSeconds: number;
  readonly trace: Trace;
}

/**
 * With frequent faults, conditions of a rollout change all the time, and it makes no progress. It must then end after
 * the faults. This is longer than any outage.
 */
const longestFaultsMs = 3_600_000;

const firstInstant = Date.parse('2026-01-01T00:00:00Z');

const worlds = new WeakMap<InitialState, Promise<SimulatedWorld>>();

/** Created once per process. Throws if the run without faults fails. */
function worldOf({ given, managed }: Workload): Promise<SimulatedWorld | undefined> {
  if (given === undefined) {
    return Promise.resolve(undefined);
  }
  const known = worlds.get(given);
  if (known !== undefined) {
    return known;
  }
  const workload: Workload = { ...given, about: 'What others begin with', ...(managed ? { managed } : {}) };
  const made = play({ workload, seed: 'given' }, undefined).then(({ result, system, now }) => {
    if (result.violations.length > 0) {
      throw new Error(`What begins with ${given.name} cannot: ${result.violations.join('; ')}`);
    }
    return toWorld(system, now);
  });
  worlds.set(given, made);
  return made;
}

export async function runSimulation(options: SimulationRunOptions): Promise<RunResult> {
  return runFrom(options, await worldOf(options.workload));
}

/** Like `run`, with another initial state than that of the workload. */
export async function runFrom(options: SimulationRunOptions, world: SimulatedWorld | undefined): Promise<RunResult> {
  const { result } = await play(options, world);
  return result;
}

function toViolation(error: unknown): string {
  return error instanceof StuckError ? error.message : String(error instanceof Error ? error.stack : error);
}

interface Played {
  readonly result: RunResult;
  readonly system: System;
  readonly now: Instant;
}

function createEngine(options: SimulationRunOptions, start: Instant): Engine {
  const { workload, seed, faults = noFaults, resyncPeriodMs, largestSkewMs = 500 } = options;
  return {
    scheduler: new Scheduler(start),
    random: createRandom(`${workload.name}/${seed}`),
    trace: createTrace(start, { keep: options.trace === true }),
    faults,
    resyncPeriodMs,
    largestSkewMs,
    calls: 0,
    writes: [],
    forwarderCalls: [],
    atTheEnd: [],
  };
}

function createMonitoredSystem(options: SimulationRunOptions, engine: Engine, world: SimulatedWorld | undefined) {
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
    onInvocation(event) {
      monitor.invocation(event);
      if (event.type === 'begins') {
        options.onInvocation?.(event, () => toWorld(system, engine.scheduler.now));
      }
    },
    reconcilers: reconcilersOf(options.workload),
    layout: options.workload.layout,
    watchesNodes: options.workload.watchesNodes,
    ...options.system,
  });
  monitor.watch(system);
  return { monitor, system };
}

/** The script may end before the outage begins. */
async function outlast(engine: Engine, start: Instant): Promise<void> {
  const { outage } = engine.faults;
  if (outage !== undefined) {
    const end = start + outage.beginsAfterMs + outage.lastsMs;
    await sleep(engine, Math.max(0, end - engine.scheduler.now));
  }
}

/**
 * JavaScript keeps the target of a weak reference until the next turn of the event loop, and a run has no turns. Combined
 * abort signals are such targets, with all that they reference.
 */
export function releaseWeakReferences(): Promise<void> {
  return setImmediate();
}

async function play(options: SimulationRunOptions, world: SimulatedWorld | undefined): Promise<Played> {
  const { workload, faults = noFaults } = options;
  const start = world?.at ?? firstInstant;
  const engine = createEngine(options, start);
  const { scheduler, trace } = engine;
  const { monitor, system } = createMonitoredSystem(options, engine, world);
  let calls = 0;
  let over = false;
  const story = async (): Promise<void> => {
    const disturbances = startDisturbances(engine, system);
    const endFaults = (): void => {
      disturbances.stop();
      engine.faults = { ...noFaults, rates: { ...noFaults.rates, lostEvent: faults.rates.lostEvent } };
    };
    scheduler.after(longestFaultsMs, endFaults);
    await workload.script(createUser(engine, system), createRandom(`script/${workload.name}/${options.seed}`));
    await sleep(engine, engine.random.between(0, 10_000));
    await outlast(engine, start);
    endFaults();
    await untilQuiet(engine, system, monitor);
    if (faults.outage !== undefined) {
      checkDeadLetters(system, monitor);
    }
    calls = engine.calls;
    await lookAtEverything(engine, system, monitor);
  };
  const telling = story().then(
    () => {
      over = true;
    },
    (error: unknown) => {
      over = true;
      monitor.violation(toViolation(error));
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
    forwarderCalls: engine.forwarderCalls.filter(number => number <= calls),
    steps: scheduler.steps,
    virtualSeconds: (scheduler.now - start) / 1000,
    trace,
  };
  for (const end of engine.atTheEnd) {
    end();
  }
  await releaseWeakReferences();
  return { result, system, now: scheduler.now };
}
