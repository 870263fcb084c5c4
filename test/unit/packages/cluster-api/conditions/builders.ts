// Builders of conditions and owners for tests.
import type { Unstructured } from '../../../../../packages/apimachinery/object.ts';
import type { AggregateSource } from '../../../../../packages/cluster-api/conditions/aggregate.ts';
import type {
  Condition,
  ConditionStatus,
  ReportedCondition,
  V1Beta1Condition,
} from '../../../../../packages/cluster-api/conditions/condition.ts';

export const t0 = '2026-01-01T00:00:00Z';
export const t1 = '2026-01-01T00:00:01Z';
/** A time later than t0 and t1, with a fraction of a second. */
export const now = Date.parse('2026-01-02T03:04:05.678Z');
export const nowText = '2026-01-02T03:04:05Z';

export function aCondition(fields: Partial<Condition> & { readonly type: string }): Condition {
  return { status: 'True', reason: 'Because', message: '', lastTransitionTime: t0, ...fields };
}

export function aV1Beta1Condition(fields: Partial<V1Beta1Condition> & { readonly type: string }): V1Beta1Condition {
  return { status: 'True', lastTransitionTime: t0, ...fields };
}

export function anObject(fields: Partial<Unstructured> = {}): Unstructured {
  return {
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1',
    kind: 'FooCluster',
    metadata: { name: 'i1', namespace: 'ns', uid: 'uid-i1', resourceVersion: '1' },
    ...fields,
  };
}

interface SourceFields {
  readonly name: string;
  readonly kind?: string;
  /** If absent, the object does not report the condition. */
  readonly status?: ConditionStatus;
  readonly message?: string;
  readonly type?: string;
  readonly controlPlane?: boolean;
}

export function aSource(fields: SourceFields): AggregateSource {
  const { name, kind = 'Machine', status, message = '', type = 'Ready', controlPlane = false } = fields;
  const conditions: readonly ReportedCondition[] =
    status === undefined ? [] : [aCondition({ type, status, message, reason: 'Whatever' })];
  return { owner: { kind, name, isControlPlaneMachine: controlPlane }, conditions };
}
