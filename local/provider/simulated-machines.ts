// The machines of a simulated control plane, as counters only. Pure: uses an object and a clock, and returns a result.

import type { Instant, Unstructured } from '@capi-serverless/apimachinery';
import {
  compareVersionTexts,
  readBoolean,
  readInteger,
  readString,
  valueOr,
} from '@capi-serverless/cluster-api/contract';
import type { AuthorCondition, ControlPlaneResult, ReplicaCounts } from '@capi-serverless/provider-sdk';
import { progressOf, toInstant } from './progress.ts';

interface Target {
  readonly version: string;
  readonly replicas: number;
}

/** A change to a target, with its start time. */
interface Rollout extends Target {
  readonly startedAt: Instant;
}

/** The status fields of the object about its machines. */
interface Machines extends Target {
  readonly initialized: boolean;
  readonly rollout: Rollout;
}

export interface Simulation {
  readonly machines: Machines;
  readonly rollout: Rollout;
  /** The duration of the first start, an upgrade or a scaling. */
  readonly seconds: number;
  readonly now: Instant;
  /** If true, the change makes no progress. */
  readonly held: boolean;
}

interface FirstStep {
  readonly reason: string;
  readonly message: string;
  /** The maximum number of machines during the step. */
  readonly started: number;
}

const firstSteps: readonly [FirstStep, ...FirstStep[]] = [
  { reason: 'GeneratingCertificates', message: 'Generating the certificates', started: 0 },
  { reason: 'StartingFirstMachine', message: 'Starting the first machine', started: 1 },
  { reason: 'JoiningMachines', message: 'Joining the other machines', started: Number.POSITIVE_INFINITY },
];

export function observeMachines(object: Unstructured, now: Instant): Machines {
  return {
    initialized: valueOr(readBoolean(object, 'status.initialization.controlPlaneInitialized'), false),
    version: valueOr(readString(object, 'status.version'), ''),
    replicas: valueOr(readInteger(object, 'status.replicas'), 0),
    rollout: {
      startedAt: toInstant(valueOr(readString(object, 'status.rollout.startedAt'), ''), now),
      version: valueOr(readString(object, 'status.rollout.version'), ''),
      replicas: valueOr(readInteger(object, 'status.rollout.replicas'), 0),
    },
  };
}

/** Returns the current or last change, or a new change if the target differs. */
export function rolloutOf({ rollout }: Machines, target: Target, now: Instant): Rollout {
  const same = rollout.version === target.version && rollout.replicas === target.replicas;
  return same ? rollout : { ...target, startedAt: now };
}

export function simulateMachines(simulation: Simulation): ControlPlaneResult {
  const { machines, rollout } = simulation;
  if (!machines.initialized) {
    return simulateFirstStart(simulation);
  }
  const settled = machines.version === rollout.version && machines.replicas === rollout.replicas;
  return settled ? toSettled(rollout) : simulateChange(simulation);
}

function simulateFirstStart({ rollout, seconds, now, held }: Simulation): ControlPlaneResult {
  const progress = progressOf({ steps: firstSteps, startedAt: rollout.startedAt, seconds, now, held });
  if (progress.done) {
    return toSettled(rollout);
  }
  const { reason, message, started } = progress.step;
  const replicas = Math.min(started, rollout.replicas);
  const waiting = { status: 'False', reason, message } as const;
  return {
    initialized: false,
    available: false,
    counts: { replicas, ready: 0, available: 0, upToDate: replicas },
    conditions: [
      { type: 'Ready', ...waiting },
      { type: 'Available', ...waiting },
      ...toChangeConditions(rollout, rollout),
    ],
    ...(held ? {} : { requeueAfter: progress.secondsLeft }),
  };
}

/** Machines are replaced one at a time. Their number changes at the end. */
function simulateChange({ machines, rollout, seconds, now, held }: Simulation): ControlPlaneResult {
  const [first = 0, ...others] = Array.from({ length: machines.replicas }, (_, replaced) => replaced);
  const progress = progressOf({ steps: [first, ...others], startedAt: rollout.startedAt, seconds, now, held });
  if (progress.done) {
    return toSettled(rollout);
  }
  const { replicas } = machines;
  const upToDate = machines.version === rollout.version ? replicas : progress.step;
  return {
    initialized: replicas > 0,
    available: replicas > 0,
    version: machines.version,
    versions: toVersions([
      { version: machines.version, replicas: replicas - upToDate },
      { version: rollout.version, replicas: upToDate },
    ]),
    counts: { ...allOf(replicas), upToDate },
    conditions: toChangeConditions(machines, rollout),
    ...(held ? {} : { requeueAfter: progress.secondsLeft }),
  };
}

function toSettled({ version, replicas }: Target): ControlPlaneResult {
  return {
    initialized: replicas > 0,
    available: replicas > 0,
    version,
    versions: toVersions([{ version, replicas }]),
    counts: allOf(replicas),
    conditions: toChangeConditions({ version, replicas }, { version, replicas }),
  };
}

function allOf(replicas: number): ReplicaCounts {
  return { replicas, ready: replicas, available: replicas, upToDate: replicas };
}

/** Ascending by version, without versions that no machine runs. */
function toVersions(counted: readonly Target[]): readonly Target[] {
  const running = counted.filter(({ replicas }) => replicas > 0);
  return running.toSorted((a, b) => compareVersionTexts(a.version, b.version));
}

function toChangeConditions(from: Target, to: Target): readonly AuthorCondition[] {
  return [
    toChangeCondition('RollingOut', from.version !== to.version),
    toChangeCondition('ScalingUp', from.replicas < to.replicas),
    toChangeCondition('ScalingDown', from.replicas > to.replicas),
  ];
}

function toChangeCondition(type: string, holds: boolean): AuthorCondition {
  return holds ? { type, status: 'True', reason: type } : { type, status: 'False', reason: `Not${type}` };
}
