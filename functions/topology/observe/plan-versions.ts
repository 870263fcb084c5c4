// Determines the Kubernetes version of each part of a topology in this pass.
import { type Checked, invalid, prefixed, type Reads, valid } from '@capi-serverless/apimachinery';
import type { Pass } from '@capi-serverless/reconciler';
import { generateUpgradePlan } from '../../../shared/runtime-hooks/rules/catalog.ts';
import type { Blueprint } from '../../../shared/topology/model/blueprint.ts';
import type { WorkloadNodesPort } from '../../../shared/workload/port.ts';
import type { Current } from '../plan/current/current-topology.ts';
import type { HookState } from '../plan/upgrade/hook-state.ts';
import type { UpgradePlan } from '../plan/upgrade/plan-check.ts';
import type { UpgradeSpan } from '../plan/upgrade/plan-source.ts';
import { type DecidedVersions, decideVersions, inControlPlane } from '../plan/upgrade/topology-versions.ts';
import { makePlan, noPlan, planSource, upgradeSpan } from '../plan/upgrade/upgrade-plan.ts';
import { toCacheKey, toPlan, toPlanRequest } from '../plan/upgrade/upgrade-plan-request.ts';
import { answerAll, type TopologyHooks } from './hooks/topology-hooks.ts';
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
  const span = upgradeSpan(blueprint.topology.version, current);
  if (!span.ok) {
    return { hookState, plan: undefined, versions: span };
  }
  const plan = await planUpgrade(blueprint, span.value, hooks);
  if (!plan.ok) {
    return { hookState, plan: undefined, versions: plan };
  }
  const upgrading = await readUpgrading({ cluster: blueprint.cluster, current }, ask, pass);
  if (!upgrading.ok) {
    return { hookState, plan: plan.value, versions: upgrading };
  }
  const facts = { ...input, plan: plan.value, span: span.value, upgrading: upgrading.value };
  const decided = await answerAll(decideVersions({ ...facts, runtimeSdk: hooks !== undefined }), hooks);
  return decided.ok
    ? { ...decided.value, plan: plan.value }
    : { hookState: decided.hookState, versions: invalid(`${inControlPlane}: ${decided.error}`), plan: plan.value };
}

async function planUpgrade(
  { classSpec, topology }: Blueprint,
  span: UpgradeSpan | undefined,
  hooks: TopologyHooks | undefined,
): Promise<Checked<UpgradePlan>> {
  const source = planSource(classSpec, span);
  if (source.from === 'nowhere' || span === undefined) {
    return valid(noPlan);
  }
  if (source.from !== 'extension') {
    return makePlan(source, span);
  }
  const { handler } = source;
  if (hooks === undefined) {
    return invalid(`can not use GenerateUpgradePlan extension "${handler}" if RuntimeSDK feature flag is disabled`);
  }
  const request = toPlanRequest(hooks.cluster, span, topology.version);
  const object = hooks.cluster.metadata;
  const cache = { key: toCacheKey(request) };
  const answer = await hooks.calls.callNamed(generateUpgradePlan, handler, { object, request, cache });
  return answer.ok ? toPlan(answer.value, span) : prefixed(answer, 'failed to get upgrade plan from extension');
}
