// What differs between provider roles, for the flow that they share. Types and the facts derived from the options.

import type { Checked } from '../api/checked.ts';
import type { Unstructured } from '../api/object.ts';
import type { ConditionDraft } from '../conditions/condition.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import type { ProviderContract } from '../contract/provider-paths.ts';
import type { BareContext, BareDeleteContext, ProviderOptions } from './author.ts';
import { checkForm } from './options.ts';
import type { CheckedOwnStatus } from './results.ts';
import { type FieldsSchema, InvalidSpec, isFieldsSchema, parseSpec, readOwnStatus, statusFieldsOf } from './schema.ts';

/** A validated result of reconcileNormal, in terms that need no knowledge of the role. */
export interface Publication {
  /** What the verdict conditions say, once the endpoint is there. */
  readonly ready: boolean;
  readonly endpoint: Endpoint | undefined;
  /** Values by dotted path, written whatever else holds. */
  readonly facts: readonly (readonly [path: string, value: unknown])[];
  /** Flags set to true, and never taken back, once the endpoint is there. */
  readonly latches: readonly string[];
  readonly own: CheckedOwnStatus;
  readonly requeueAfterMs: number | undefined;
}

/** A validated result of reconcileDelete. */
export interface Departure {
  readonly done: boolean;
  readonly message: string;
  readonly own: CheckedOwnStatus;
  readonly requeueAfterMs: number | undefined;
}

export interface Waiting {
  readonly reason: string;
  readonly message: string;
}

/** One provider as the shared flow sees it. */
export interface Role {
  readonly group: string;
  readonly kind: string;
  readonly contract: ProviderContract;
  readonly finalizer: string;
  readonly endpoint: 'provided' | 'fromCluster';
  /** Condition types that follow the outcome of the author's code; the first is `Ready`. */
  readonly verdicts: readonly string[];
  /** Condition types the author may report: the verdicts and what the options declare. */
  readonly conditions: readonly string[];
  /** Top-level status fields the author may report. */
  readonly status: readonly string[];
  /** The Cluster is not far enough for the author's code. */
  waits(cluster: Unstructured): Waiting | undefined;
  parseResult(raw: unknown, object: Unstructured): Checked<Publication>;
  /** What each of these fields must look like. */
  readonly statusShape?: FieldsSchema<unknown>['shape'];
  reconcileNormal(context: BareContext): Promise<unknown>;
  reconcileDelete(context: BareDeleteContext): Promise<unknown>;
}

/** What a result is checked against. */
export type ResultLimits = Pick<Role, 'contract' | 'endpoint' | 'conditions' | 'status' | 'statusShape' | 'verdicts'>;

export type Verdict = Omit<ConditionDraft, 'type'>;

/** The part of a role that follows from any provider's options. Throws TypeError when they are malformed. */
export function toIdentity<Result, Spec, Status>(
  options: ProviderOptions<Result, Spec, Status>,
  verdicts: readonly string[],
) {
  checkForm(options);
  const { group, kind, contract, endpoint, status } = options;
  return {
    group,
    kind,
    contract,
    endpoint,
    finalizer: options.finalizer ?? `${kind.toLowerCase()}.${group}`,
    verdicts,
    conditions: [...verdicts, ...(options.conditions ?? [])],
    status: statusFieldsOf(status),
    ...(status !== undefined && isFieldsSchema(status) ? { statusShape: status.shape } : {}),
    reconcileNormal: (context: BareContext) =>
      options.reconcileNormal({
        ...context,
        spec: specOf(context, options),
        status: readOwnStatus(context.object, status),
      }),
    reconcileDelete: (context: BareDeleteContext) => {
      const parsed = parseSpec(context.object, options.spec);
      const spec = parsed.ok ? parsed.value : undefined;
      return options.reconcileDelete({ ...context, spec, status: readOwnStatus(context.object, status) });
    },
  };
}

function specOf<Result, Spec, Status>({ object }: BareContext, { spec }: ProviderOptions<Result, Spec, Status>): Spec {
  const parsed = parseSpec(object, spec);
  if (!parsed.ok) {
    throw new InvalidSpec(parsed.error);
  }
  return parsed.value;
}
