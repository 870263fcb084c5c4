// The status of a MachineDeployment after one pass.
import { type JsonObject, toRecord, toSelectorText } from '@capi-serverless/apimachinery';
import { setV1Beta1Condition, summarizeV1Beta1, type V1Beta1Condition } from '@capi-serverless/cluster-api/conditions';
import { pausedOf } from '../phases/gate.ts';
import { toLimits } from '../plan/rollout/limits.ts';
import {
  type AppliedSets,
  type DeploymentFacts,
  type DeprecatedCounters,
  deprecatedAvailable,
  deprecatedCounters,
  deprecatedMachineSetReady,
  phaseOf,
  toConditions,
  toSetTotals,
} from './deployment-conditions.ts';

interface PassEnd {
  /** `undefined`: not all MachineSets were applied. What is stored about the deprecated status is kept. */
  readonly applied: AppliedSets | undefined;
  /** Whether the pass had no error. */
  readonly isSettled: boolean;
}

/** Returns the stored status with all owned fields replaced. */
export function toDeploymentStatus(facts: DeploymentFacts, { applied, isSettled }: PassEnd): JsonObject {
  const { deployment, sets, now } = facts;
  const { metadata, object, status } = deployment;
  // This pass has not been stopped by a pause.
  const paused = pausedOf(deployment, false);
  return {
    ...toRecord(object.status),
    selector: toSelectorText(deployment.spec.selector),
    ...(sets === undefined ? {} : toSetTotals(sets)),
    phase: phaseOf(facts),
    conditions: toConditions(facts, { stored: status.conditions, paused, generation: metadata.generation, now }),
    deprecated: toDeprecated(facts, applied),
    ...(isSettled ? { observedGeneration: metadata.generation } : {}),
  };
}

function toDeprecated(facts: DeploymentFacts, applied: AppliedSets | undefined): JsonObject {
  const { deployment, now } = facts;
  const deprecated = toRecord(toRecord(deployment.object.status)['deprecated']);
  const counters = applied === undefined ? undefined : deprecatedCounters(applied);
  const stored = deployment.status.deprecated.v1beta1.conditions;
  const conditions = counters === undefined || applied === undefined ? stored : withApplied(facts, applied, counters);
  const ready = summarizeV1Beta1(conditions, { types: ['Available'] });
  const all = setV1Beta1Condition(conditions, ready, { now });
  const family = { ...toRecord(deprecated['v1beta1']), ...counters, ...(all.length === 0 ? {} : { conditions: all }) };
  return { ...deprecated, v1beta1: family };
}

function withApplied(
  { deployment, sets = [], now }: DeploymentFacts,
  applied: AppliedSets,
  counters: DeprecatedCounters,
): readonly V1Beta1Condition[] {
  const { replicas = 0, rollout } = deployment.spec;
  const { type, rollingUpdate } = rollout.strategy;
  const { maxSurge, maxUnavailable } = rollingUpdate;
  const { minAvailable } = toLimits({ type, maxSurge, maxUnavailable }, replicas);
  const { availableReplicas } = toSetTotals(sets);
  return [
    deprecatedAvailable({ counters, minAvailable, availableReplicas }),
    deprecatedMachineSetReady(applied.current),
  ].reduce((list, draft) => setV1Beta1Condition(list, draft, { now }), deployment.status.deprecated.v1beta1.conditions);
}
