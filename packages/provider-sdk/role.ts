// The differences between provider roles, for the common flow. Contains types and the facts derived from the options.

import type { Checked, Unstructured } from '@capi-serverless/apimachinery';
import type { ConditionDraft } from '@capi-serverless/cluster-api/conditions';
import type { ControlPlaneEndpoint, ProviderContract } from '@capi-serverless/cluster-api/contract';
import type { AuthorCondition, BareContext, BareDeleteContext, ProviderOptions } from './author.ts';
import { checkForm } from './options.ts';
import { type FieldsSchema, InvalidSpec, isFieldsSchema, parseSpec, readOwnStatus, statusFieldsOf } from './schema.ts';

/** Conditions and status fields that are declared and valid. */
export interface CheckedOwnStatus {
  readonly conditions: readonly AuthorCondition[];
  readonly status: Readonly<Record<string, unknown>>;
}

/** A validated result of reconcileNormal, independent of the role. */
export interface Publication {
  /** The status of the verdict conditions after the endpoint is set. */
  readonly ready: boolean;
  readonly endpoint: ControlPlaneEndpoint | undefined;
  /** Values by dotted path. They are always written. */
  readonly facts: readonly (readonly [path: string, value: unknown])[];
  /** Flags that become true after the endpoint is set. They are never reset. */
  readonly latches: readonly string[];
  readonly own: CheckedOwnStatus;
  readonly requeueAfterMs: number | undefined;
}

/** A validated result of reconcileDelete. */
export interface DeleteOutcome {
  readonly done: boolean;
  readonly message: string;
  readonly own: CheckedOwnStatus;
  readonly requeueAfterMs: number | undefined;
}

export interface Waiting {
  readonly reason: string;
  readonly message: string;
}

/** One provider, in the form of the common flow. */
export interface ProviderRole {
  readonly group: string;
  readonly kind: string;
  readonly contract: ProviderContract;
  readonly finalizer: string;
  readonly endpoint: 'provided' | 'fromCluster';
  /** Condition types that follow the outcome of the author's function. The first is `Ready`. */
  readonly verdicts: readonly string[];
  /** Condition types that the author may report: the verdict conditions and the declared ones. */
  readonly conditions: readonly string[];
  /** Top-level status fields that the author may report. */
  readonly status: readonly string[];
  /** Returns what the Cluster lacks before the author's function can be called. */
  waits(cluster: Unstructured): Waiting | undefined;
  parseResult(raw: unknown, object: Unstructured): Checked<Publication>;
  /** The schema of each of these fields. */
  readonly statusShape?: FieldsSchema<unknown>['shape'];
  reconcileNormal(context: BareContext): Promise<unknown>;
  reconcileDelete(context: BareDeleteContext): Promise<unknown>;
}

/** The limits against which a result is validated. */
export type ResultLimits = Pick<
  ProviderRole,
  'contract' | 'endpoint' | 'conditions' | 'status' | 'statusShape' | 'verdicts'
>;

export type ConditionState = Omit<ConditionDraft, 'type'>;

/** The common part of all providers' options. Throws TypeError on invalid options. */
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
