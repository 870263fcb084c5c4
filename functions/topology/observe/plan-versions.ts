// Determines the Kubernetes version of each part of a topology in this pass.
import { invalid, type Reads } from '@capi-serverless/apimachinery';
import { type AnswersTo, answerQuestions, type Pass } from '@capi-serverless/reconciler';
import { generateUpgradePlan } from '../../../shared/runtime-hooks/rules/catalog.ts';
import type { Blueprint } from '../../../shared/topology/model/blueprint.ts';
import type { WorkloadNodesPort } from '../../../shared/workload/port.ts';
import type { Current } from '../plan/current/current-topology.ts';
import type { UpgradePlanQuestion } from '../plan/questions.ts';
import type { HookState } from '../plan/upgrade/hook-state.ts';
import type { UpgradePlan } from '../plan/upgrade/plan-check.ts';
import { type DecidedVersions, decideVersions, inControlPlane } from '../plan/upgrade/topology-versions.ts';
import { planUpgrade, upgradeSpan } from '../plan/upgrade/upgrade-plan.ts';
import { toCacheKey, toPlanRequest } from '../plan/upgrade/upgrade-plan-request.ts';
import { hookAnswers, type TopologyHooks } from './hooks/topology-hooks.ts';
import { readUpgrading } from './upgrading-workers.ts';

interface VersionsInput {
  readonly blueprint: Blueprint;
  readonly current: Current;
  readonly hookState: HookState;
}

interface PlannedVersions extends DecidedVersions {
  /** Undefined if the plan could not be computed. */
  readonly plan: UpgradePlan | undefined;
}

/** `hooks` is undefined if the feature gate RuntimeSDK is disabled. */
interface Planning {
  readonly pass: Pass;
  readonly hooks: TopologyHooks | undefined;
}

/** Calls the hooks that plan and block an upgrade, and reads Machines and Nodes. */
export async function planVersions(
  input: VersionsInput,
  ask: Pick<Reads, 'get' | 'list'> & WorkloadNodesPort,
  { pass, hooks }: Planning,
): Promise<PlannedVersions> {
  const { blueprint, current, hookState } = input;
  const { classSpec, topology, cluster } = blueprint;
  const runtimeSdk = hooks !== undefined;
  const span = upgradeSpan(topology.version, current);
  if (!span.ok) {
    return { hookState, plan: undefined, versions: span };
  }
  const planInput = { classSpec, span: span.value, topologyVersion: topology.version, runtimeSdk };
  const plan = await answerQuestions(planUpgrade(planInput), planAnswers(hooks));
  if (!plan.ok) {
    return { hookState, plan: undefined, versions: plan };
  }
  const upgrading = await readUpgrading({ cluster, current }, ask, pass);
  if (!upgrading.ok) {
    return { hookState, plan: plan.value, versions: upgrading };
  }
  const facts = { ...input, plan: plan.value, span: span.value, upgrading: upgrading.value, runtimeSdk };
  const endAfter = (failed: { readonly error: string; readonly hookState: HookState }): DecidedVersions => ({
    hookState: failed.hookState,
    versions: invalid(`${inControlPlane}: ${failed.error}`),
  });
  const decided = await answerQuestions(decideVersions(facts), hookAnswers(hooks, endAfter));
  return { ...decided, plan: plan.value };
}

function planAnswers(hooks: TopologyHooks | undefined): AnswersTo<UpgradePlanQuestion> {
  return {
    generateUpgradePlan: async ({ handler, span, topologyVersion }) => {
      if (hooks === undefined) {
        return invalid(`${generateUpgradePlan.name} cannot be called: the feature gate RuntimeSDK is off`);
      }
      const { calls, cluster } = hooks;
      const request = toPlanRequest(cluster, span, topologyVersion);
      const call = { object: cluster.metadata, request, cache: { key: toCacheKey(request) } };
      return calls.callNamed(generateUpgradePlan, handler, call);
    },
  };
}
