// What the plans of a topology ask. Observe answers with reads, dry runs and calls of extensions.
import type {
  Answer,
  ApplyOptions,
  Checked,
  Intent,
  ObjectMeta,
  ObjectRef,
  Unstructured,
} from '@capi-serverless/apimachinery';
import { ask, type Question } from '@capi-serverless/reconciler';
import type { Hook, HookResponse, HookSettings, RetryResponse } from '../../../shared/runtime-hooks/rules/hook.ts';
import type {
  ClusterRequest,
  GeneratePatchesRequest,
  UpgradeSteps,
  ValidateTopologyRequest,
} from '../../../shared/runtime-hooks/rules/requests.ts';
import type { GeneratePatchesResponse } from '../../../shared/runtime-hooks/rules/response-schemas.ts';
import type { HookState } from './upgrade/hook-state.ts';
import type { UpgradeSpan } from './upgrade/plan-source.ts';

export type GetQuestion = Question<'get', ObjectRef, Answer<Unstructured>>;
export type MetadataQuestion = Question<'metadata', ObjectRef, Answer<ObjectMeta>>;
export type ReadQuestion = GetQuestion | MetadataQuestion;

interface DryRun {
  readonly intent: Intent;
  readonly options: ApplyOptions;
}

/** The answer is the object that the apply would produce. */
export type DryRunQuestion = Question<'dryRun', DryRun, Answer<Unstructured>>;

export interface HookCall {
  readonly hook: Hook<ClusterRequest, RetryResponse>;
  /** The fields of the request without the Cluster. */
  readonly request: object;
  /** The previous hook state. */
  readonly hookState: HookState;
}

/** The answer is the hook state with the response. A failed call ends the plan. */
export type HookQuestion = Question<'callHook', HookCall, HookState>;

/** Calls all handlers of a hook that never blocks. */
export type NotifyQuestion = Question<'notify', Hook<ClusterRequest, HookResponse>, Checked<unknown>>;

interface PlanCall {
  readonly handler: string;
  readonly span: UpgradeSpan;
  readonly topologyVersion: string;
}

/** The answer is the plan of the extension with this handler. */
export type UpgradePlanQuestion = Question<'generateUpgradePlan', PlanCall, Checked<UpgradeSteps>>;

/** `settings` replace those of the ExtensionConfig, key by key. */
interface PatchCall<Request> {
  readonly handler: string;
  readonly request: Request;
  readonly settings?: HookSettings;
}

export type PatchQuestion = Question<
  'generatePatches',
  PatchCall<GeneratePatchesRequest>,
  Checked<GeneratePatchesResponse>
>;
export type ValidationQuestion = Question<'validateTopology', PatchCall<ValidateTopologyRequest>, Checked<unknown>>;

/** Asks for the hook state with the response of a blocking hook. */
export function callHook<Request extends ClusterRequest>(
  hook: Hook<Request, RetryResponse>,
  request: Omit<Request, 'cluster'>,
  hookState: HookState,
) {
  const ofCluster = hook as HookCall['hook']; // True: the request gets its Cluster when it is sent.
  return ask<HookQuestion>('callHook', { hook: ofCluster, request, hookState });
}
