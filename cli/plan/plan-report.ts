// A plan as data. The members are those of the JSON output.
import type { EventDraft, Result } from '@capi-serverless/reconciler';
import type { Preview } from '../../shared/explain/face.ts';
import type { GivenChange } from './given-files.ts';
import type { StatusDifference } from './status-diff.ts';

export interface ActionLine {
  readonly id: string;
  readonly do: 'create' | 'apply' | 'patch' | 'delete' | 'evict' | 'manifest' | 'run';
  /** The name in the form `Kind namespace/name`. For a `run`, the name that its author gave. */
  readonly object: string;
  readonly why: string;
  /** The Cluster whose workload cluster receives the write, in the form `namespace/name`. */
  readonly workloadOf?: string;
  readonly body?: unknown;
  /** Whether the apply creates the object. */
  readonly isNew?: true;
  /** The changes to the existing object, or the differences from the replaced object. */
  readonly changes?: readonly StatusDifference[];
  /** The name of the replaced object. */
  readonly replaces?: string;
  /** The precondition: the write is refused unless the object has this version. */
  readonly resourceVersion?: string;
}

export interface PassReport {
  readonly pass: number;
  readonly actions: readonly ActionLine[];
  /** Further conclusions of the pass. */
  readonly conclusions: readonly string[];
  readonly status: readonly StatusDifference[];
  readonly events: readonly EventDraft[];
  readonly result: Result['kind'];
}

/** An object whose Machines are replaced, now or later in the same rollout. */
export interface Replacement {
  /** The name in the form `Kind namespace/name`. */
  readonly object: string;
  readonly why: string;
}

export interface PlanReport {
  readonly reconciler: string;
  readonly object: string;
  /** The source of the objects. */
  readonly source: string;
  readonly at: string;
  /** What an apply of the files changes, if the files are over an API server. */
  readonly files?: readonly GivenChange[];
  readonly passes: readonly PassReport[];
  readonly replacements: readonly Replacement[];
  /** The number of requests that would write, including Events. */
  readonly writes: number;
  readonly result: Result['kind'];
  /** The time until the next reconcile of the object, and the reason. */
  readonly next: string;
  readonly waitsFor?: string;
  /** What a later change by a user would do. */
  readonly preview?: Preview;
  readonly error?: string;
  readonly wouldAsk: readonly string[];
  readonly notes: readonly string[];
}
