// The specifications of MachineDeployments that passes may still act on: the stored one, and each earlier one until the
// MachineDeployment and its MachineSets report a later one and no pass that began before the change is left.
import { type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import type { Engine } from '../engine/process.ts';
import type { Commit, SimulatedApi } from '../system/api-server.ts';
import type { InvocationEvent } from '../system/event-source-mapping.ts';

/** No invocation of these reconcilers is longer. */
export const longestPassMs = 125_000;

interface Earlier {
  readonly spec: unknown;
  /** The generation of the specification that replaced it. */
  readonly until: number;
  readonly replacedAt: number;
  /** Whether an invocation was in progress that could have read it and write later. */
  readonly isContested: boolean;
  /** The time of the first complete report about a later specification. */
  reportedAt: number | undefined;
}

export interface SpecInEffect {
  readonly spec: unknown;
  /** Whether a pass may act on it while another pass acts on a later one. */
  readonly isContested: boolean;
}

interface Watched {
  readonly api: SimulatedApi;
  readonly scheduler: Engine['scheduler'];
  /** Returns true if this MachineSet belongs to the deployment. */
  readonly isSetOf: (set: Unstructured, deployment: Unstructured) => boolean;
}

export class SpecsInEffect {
  readonly #watched: Watched;
  readonly #earlier = new Map<string, readonly Earlier[]>();
  /** The times at which the invocations in progress began, by process. */
  readonly #running = new Map<string, number>();

  constructor(watched: Watched) {
    this.#watched = watched;
  }

  invocation({ type, process }: InvocationEvent): void {
    if (type === 'ends') {
      this.#running.delete(process.name);
    } else if (process.name.startsWith('machinedeployment.')) {
      this.#running.set(process.name, this.#watched.scheduler.now);
    }
  }

  committed({ object, previous }: Commit): void {
    if (object.kind !== 'MachineDeployment' || previous === undefined) {
      return;
    }
    const { uid, generation: until = 0 } = object.metadata;
    if (previous.metadata.generation !== until) {
      const isContested = this.#running.size > 0;
      const replacedAt = this.#watched.scheduler.now;
      const replaced: Earlier = { spec: previous.spec, until, replacedAt, isContested, reportedAt: undefined };
      this.#earlier.set(uid, [...(this.#earlier.get(uid) ?? []), replaced]);
    }
  }

  /** The stored specification first. */
  of(deployment: Unstructured): readonly SpecInEffect[] {
    const { uid } = deployment.metadata;
    const { now } = this.#watched.scheduler;
    const left = (this.#earlier.get(uid) ?? []).filter(({ reportedAt = now }) => now - reportedAt <= longestPassMs);
    for (const earlier of left) {
      earlier.reportedAt ??= this.#isReported(deployment, earlier) ? now : undefined;
    }
    this.#earlier.set(uid, left);
    return [{ spec: deployment.spec, isContested: false }, ...left];
  }

  /** The specifications that the invocation of this process may have read: the stored one, and those since it began. */
  readBy(process: string, { metadata: { uid }, spec }: Unstructured): readonly unknown[] {
    const began = this.#running.get(process) ?? 0;
    const earlier = (this.#earlier.get(uid) ?? []).filter(({ replacedAt }) => replacedAt >= began);
    return [spec, ...earlier.map(each => each.spec)];
  }

  /** The time at which the invocation of this process began. */
  beganAt(process: string): number {
    return this.#running.get(process) ?? this.#watched.scheduler.now;
  }

  #isReported(deployment: Unstructured, { until }: Earlier): boolean {
    const sets = [...this.#watched.api.objects().values()].filter(
      each => each.kind === 'MachineSet' && this.#watched.isSetOf(each, deployment),
    );
    return observedBy(deployment) >= until && sets.every(set => observedBy(set) >= (set.metadata.generation ?? 0));
  }
}

function observedBy({ status }: Unstructured): number {
  return Number(valueAt(status, 'observedGeneration') ?? 0);
}
