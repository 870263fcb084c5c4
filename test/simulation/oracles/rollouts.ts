// Invariant I9, the part of MachineDeployments: no more Machines than replicas and surge, no available Machine is deleted
// that the strategy needs, no name is used twice, no more remediations than allowed, and no new MachineSet while paused.

import { isJsonObject, type OwnerReference, type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import type { Engine } from '../engine/process.ts';
import type { Commit, SimulatedApi } from '../system/api-server.ts';
import { conditionOf } from '../workloads/workload.ts';
import type { Oracle } from './monitor.ts';
import { longestPassMs, type SpecInEffect, SpecsInEffect } from './specs-in-effect.ts';

/** Checks what the product does. A user may delete any Machine, and Machines may fail (decision 0057). */
export function watchRollouts(
  api: SimulatedApi,
  scheduler: Engine['scheduler'],
  report: (text: string) => void,
): Oracle {
  const isSetOf = (set: Unstructured, { metadata: { uid } }: Unstructured): boolean => controllerOf(set)?.uid === uid;
  const specs = new SpecsInEffect({ api, scheduler, isSetOf });
  const failures = new UserFailures();
  const availability = new Availability(scheduler);
  const grants = new Grants();
  /** The names of all Machines that existed, without those that a user deleted. */
  const names = new Set<string>();
  return {
    invocation: event => specs.invocation(event),
    committed(commit) {
      const { object, writer } = commit;
      specs.committed(commit);
      if (object.kind === 'MachineDeployment') {
        failures.settle(object);
      }
      if (object.kind === 'MachineSet') {
        const owner = ownerOf(api, object, 'MachineDeployment');
        availability.scaled(commit, specs.beganAt(writer));
        availability.counted(object, api);
        if (owner !== undefined) {
          grants.scaled(commit, toRange(specs.of(owner)).most);
        }
        checkPause(api, specs, commit, report);
      }
      if (object.kind !== 'Machine') {
        return;
      }
      checkName(names, commit, report);
      availability.reported(object);
      const deployment = deploymentOf(api, object);
      if (writer === 'user') {
        failures.count(commit, deployment);
        return;
      }
      if (deployment !== undefined && !isDeleting(deployment)) {
        const machines = machinesOf(api, deployment);
        const limits = toRange(specs.of(deployment));
        checkMost({ most: Math.max(limits.most, grants.of(machines)) }, machines, commit, report);
        checkRemediations(deployment, machines, commit, report);
        const remaining = machines.filter(machine => !isDeleting(machine));
        const left = limits.countsAll
          ? remaining.length + promisedBy(setsOf(api, deployment), remaining)
          : remaining.filter(machine => availability.counts(machine, object)).length;
        // Two Machines that a health check marked may be deleted together.
        const wasAvailable = availability.hasBeen(object) && !isUnhealthy(object);
        if (wasAvailable && !availability.wasDoubtful(object)) {
          checkAvailable(limits, left + failures.of(deployment), commit, report);
        }
      }
    },
  };
}

/** What Machines have reported about their availability. */
class Availability {
  readonly #scheduler: Engine['scheduler'];
  /** The uids of Machines that have been available. */
  readonly #available = new Set<string>();
  /** The times since which Machines report that they are ready. */
  readonly #readySince = new Map<string, number>();
  /** The last time at which such a Machine reported that it is not available. */
  readonly #doubted = new Map<string, number>();
  /** The begin of the last pass that lowered the replicas of a MachineSet. */
  readonly #lowered = new Map<string, number>();
  /** The first time at which the status of its MachineSet counted an available Machine. */
  readonly #counted = new Map<string, number>();

  constructor(scheduler: Engine['scheduler']) {
    this.#scheduler = scheduler;
  }

  reported(machine: Unstructured): void {
    const { uid } = machine.metadata;
    if (conditionOf(machine, 'Ready') !== 'True') {
      this.#readySince.delete(uid);
    } else if (!this.#readySince.has(uid)) {
      this.#readySince.set(uid, this.#scheduler.now);
    }
    if (conditionOf(machine, 'Available') === 'True') {
      this.#available.add(uid);
    } else if (this.#available.has(uid)) {
      this.#doubted.set(uid, this.#scheduler.now);
    }
  }

  scaled({ object, previous }: Commit, beganAt: number): void {
    if (Number(valueAt(object.spec, 'replicas')) < Number(valueAt(previous?.spec, 'replicas'))) {
      this.#lowered.set(object.metadata.uid, beganAt);
    }
  }

  /** A status that counts fewer Machines than are available is older than one of them. */
  counted(set: Unstructured, api: SimulatedApi): void {
    const available = [...api.objects().values()].filter(
      each => each.kind === 'Machine' && controllerOf(each)?.uid === set.metadata.uid && this.hasBeen(each),
    );
    if (Number(valueAt(set.status, 'availableReplicas') ?? 0) >= available.length) {
      for (const { metadata } of available.filter(each => !this.#counted.has(each.metadata.uid))) {
        this.#counted.set(metadata.uid, this.#scheduler.now);
      }
    }
  }

  hasBeen({ metadata }: Unstructured): boolean {
    return this.#available.has(metadata.uid);
  }

  /** Whether the planner may have counted on the Machine when it decided that its MachineSets delete `deleted`. */
  counts(machine: Unstructured, deleted: Unstructured): boolean {
    const isInItsPlace = controllerOf(machine)?.uid === controllerOf(deleted)?.uid && isEquallyDeletable(machine);
    return (this.hasBeen(machine) || this.isDue(machine) || isInItsPlace) && !isUnhealthy(machine);
  }

  /** The Machine is available, although no pass has reported it yet: it has been ready for its minReadySeconds. */
  isDue({ metadata, spec }: Unstructured): boolean {
    const dueAt =
      (this.#readySince.get(metadata.uid) ?? Number.POSITIVE_INFINITY) +
      1000 * Number(valueAt(spec, 'minReadySeconds') ?? 0);
    return dueAt <= this.#scheduler.now;
  }

  /**
   * Machines that are not available are removed first, so the pass that decided may have seen it as one of them: because
   * it was not available for a while, or because no status of its MachineSet counted it yet.
   */
  wasDoubtful(machine: Unstructured): boolean {
    const { uid } = machine.metadata;
    const decidedAt = this.#lowered.get(controllerOf(machine)?.uid ?? '') ?? this.#scheduler.now;
    const isNew = (this.#counted.get(uid) ?? Number.POSITIVE_INFINITY) >= decidedAt;
    return isNew || (this.#doubted.get(uid) ?? Number.NEGATIVE_INFINITY) >= decidedAt - longestPassMs;
  }
}

/** The number of Machines that was allowed when a MachineSet got its replicas. It replaces lost Machines up to these. */
class Grants {
  readonly #most = new Map<string, number>();

  scaled({ object, previous }: Commit, most: number): void {
    if (Number(valueAt(object.spec, 'replicas')) > Number(valueAt(previous?.spec, 'replicas') ?? 0)) {
      this.#most.set(object.metadata.uid, most);
    }
  }

  of(machines: readonly Unstructured[]): number {
    return Math.max(0, ...machines.map(machine => this.#most.get(controllerOf(machine)?.uid ?? '') ?? 0));
  }
}

/** The Machines that a user deleted or marked since the deployment was complete. A decision may be older than that. */
class UserFailures {
  readonly #counts = new Map<string, Set<string>>();

  count({ object }: Commit, deployment: Unstructured | undefined): void {
    if (deployment !== undefined && (isDeleting(object) || isUnhealthy(object))) {
      const { uid } = deployment.metadata;
      this.#counts.set(uid, (this.#counts.get(uid) ?? new Set()).add(object.metadata.uid));
    }
  }

  settle({ metadata: { uid, generation }, spec, status }: Unstructured): void {
    const counted = ['replicas', 'availableReplicas', 'upToDateReplicas'].map(name => valueAt(status, name));
    const isComplete = counted.every(count => count === valueAt(spec, 'replicas'));
    if (isComplete && valueAt(status, 'observedGeneration') === generation) {
      this.#counts.delete(uid);
    }
  }

  of({ metadata: { uid } }: Unstructured): number {
    return this.#counts.get(uid)?.size ?? 0;
  }
}

/** The numbers that hold for each specification in effect. */
interface Range {
  readonly most: number;
  readonly fewest: number;
  /** OnDelete removes the Machines beyond the replicas, without regard to availability, and counts what sets will create. */
  readonly countsAll: boolean;
}

/** Two passes at once with different specifications may use the surge of both. */
function toRange(specs: readonly SpecInEffect[]): Range {
  const limits = specs.map(({ spec, isContested }) => ({ ...limitsOf(spec), isContested }));
  const contested = limits.filter(({ isContested }) => isContested).reduce((sum, { surge }) => sum + surge, 0);
  return {
    most: Math.max(...limits.map(({ replicas, surge }) => replicas + surge)) + contested,
    fewest: Math.min(...limits.map(({ replicas, unavailable }) => replicas - unavailable)),
    countsAll: specs.some(({ spec }) => valueAt(spec, 'rollout.strategy.type') === 'OnDelete'),
  };
}

function checkMost(
  { most }: Pick<Range, 'most'>,
  { length: count }: readonly Unstructured[],
  { type, object, writer }: Commit,
  report: (text: string) => void,
): void {
  if (type === 'ADDED' && count > most) {
    report(`I9: ${writer} creates Machine ${object.metadata.name}, the ${count}th of at most ${most}`);
  }
}

/** `left` is the number of Machines that count and are not being deleted. */
function checkAvailable(
  { fewest }: Range,
  left: number,
  { object, previous, writer }: Commit,
  report: (text: string) => void,
): void {
  const begins = previous !== undefined && !isDeleting(previous) && isDeleting(object);
  if (begins && left < fewest) {
    report(`I9: ${writer} deletes Machine ${object.metadata.name} and leaves ${left} of at least ${fewest}`);
  }
}

/** The Machines that MachineSets have yet to create for their replicas. */
function promisedBy(sets: readonly Unstructured[], machines: readonly Unstructured[]): number {
  return sets
    .filter(set => !isDeleting(set))
    .map(({ metadata: { uid }, spec }) => {
      const existing = machines.filter(machine => controllerOf(machine)?.uid === uid).length;
      return Math.max(0, Number(valueAt(spec, 'replicas') ?? 0) - existing);
    })
    .reduce((sum, count) => sum + count, 0);
}

/** The MachineSet that has the name creates no other Machine with it. */
function checkName(names: Set<string>, { type, object, writer }: Commit, report: (text: string) => void): void {
  const { name, namespace } = object.metadata;
  // The killed pass that reserved the name may be repeated after the user deleted its Machine.
  if (writer === 'user' && isDeleting(object)) {
    names.delete(`${namespace}/${name}`);
  }
  if (type === 'ADDED' && controllerOf(object)?.kind === 'MachineSet') {
    if (names.has(`${namespace}/${name}`)) {
      report(`I9: ${writer} creates Machine ${name} again`);
    }
    names.add(`${namespace}/${name}`);
  }
}

function checkRemediations(
  deployment: Unstructured,
  machines: readonly Unstructured[],
  { object, previous, writer }: Commit,
  report: (text: string) => void,
): void {
  const most = Number(valueAt(deployment.spec, 'remediation.maxInFlight') ?? Number.POSITIVE_INFINITY);
  const begins = previous !== undefined && !isDeleting(previous) && isDeleting(object);
  const inFlight = machines.filter(machine => isDeleting(machine) && isUnhealthy(machine)).length;
  if (begins && isUnhealthy(object) && inFlight > most) {
    report(`I9: ${writer} remediates Machine ${object.metadata.name}, the ${inFlight}th at once of at most ${most}`);
  }
}

/**
 * A MachineSet deletes Machines without Node, or whose Node is not healthy, before others. Among all others it chooses by
 * name, although the planner may have counted on the end of one that is not available yet (decision 0057).
 */
function isEquallyDeletable(machine: Unstructured): boolean {
  return valueAt(machine.status, 'nodeRef') !== undefined && conditionOf(machine, 'NodeHealthy') !== 'False';
}

function isUnhealthy(machine: Unstructured): boolean {
  return conditionOf(machine, 'HealthCheckSucceeded') === 'False';
}

function checkPause(
  api: SimulatedApi,
  specs: SpecsInEffect,
  { type, object, writer }: Commit,
  report: (text: string) => void,
): void {
  const deployment = type === 'ADDED' ? ownerOf(api, object, 'MachineDeployment') : undefined;
  if (deployment !== undefined && specs.readBy(writer, deployment).every(spec => valueAt(spec, 'paused') === true)) {
    report(`I9: ${writer} creates MachineSet ${object.metadata.name} while the rollout is paused`);
  }
}

function deploymentOf(api: SimulatedApi, machine: Unstructured): Unstructured | undefined {
  const set = ownerOf(api, machine, 'MachineSet');
  return set && ownerOf(api, set, 'MachineDeployment');
}

function ownerOf(api: SimulatedApi, object: Unstructured, kind: string): Unstructured | undefined {
  const uid = controllerOf(object)?.uid;
  return [...api.objects().values()].find(each => each.kind === kind && each.metadata.uid === uid);
}

function controllerOf({ metadata: { ownerReferences = [] } }: Unstructured): OwnerReference | undefined {
  return ownerReferences.find(({ controller }) => controller === true);
}

function setsOf(api: SimulatedApi, { metadata: { uid } }: Unstructured): readonly Unstructured[] {
  return [...api.objects().values()].filter(each => each.kind === 'MachineSet' && controllerOf(each)?.uid === uid);
}

function machinesOf(api: SimulatedApi, deployment: Unstructured): readonly Unstructured[] {
  const sets = new Set(setsOf(api, deployment).map(({ metadata }) => metadata.uid));
  return [...api.objects().values()].filter(each => each.kind === 'Machine' && sets.has(controllerOf(each)?.uid ?? ''));
}

function limitsOf(spec: unknown) {
  const rolling = valueAt(spec, 'rollout.strategy.rollingUpdate');
  const { maxSurge = 1, maxUnavailable = 0 } = isJsonObject(rolling) ? rolling : {};
  const replicas = Number(valueAt(spec, 'replicas'));
  const surge = Math.ceil(shareOf(maxSurge, replicas));
  const unavailable = Math.floor(shareOf(maxUnavailable, replicas));
  return { replicas, surge, unavailable: surge + unavailable === 0 ? 1 : unavailable };
}

/** A number, or a percentage of the replicas. */
function shareOf(value: unknown, replicas: number): number {
  return typeof value === 'string' ? (Number.parseFloat(value) * replicas) / 100 : Number(value);
}

function isDeleting({ metadata }: Unstructured): boolean {
  return metadata.deletionTimestamp !== undefined;
}
