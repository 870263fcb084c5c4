// Plans a topology that exists or may be created: versions, names, desired state, patches, then all writes.
import { type Checked, type DryRunPort, prefixed, type Reads, valid } from '@capi-serverless/apimachinery';
import { type AnswersTo, answerQuestions, type Pass } from '@capi-serverless/reconciler';
import { hooksOf } from '../../../shared/runtime-hooks/calls.ts';
import type { HooksPort } from '../../../shared/runtime-hooks/port.ts';
import { generatePatches, validateTopology } from '../../../shared/runtime-hooks/rules/catalog.ts';
import type { WorkloadNodesPort } from '../../../shared/workload/port.ts';
import { planChanges } from '../plan/changes/topology-changes.ts';
import { computeDesired } from '../plan/desired/compute.ts';
import type { Desired } from '../plan/desired/desired-topology.ts';
import { chooseNames } from '../plan/names/choose-names.ts';
import type { TopologyNames } from '../plan/names/topology-names.ts';
import type { Patching } from '../plan/patches/class-patches.ts';
import type { DryRunQuestion, ReadQuestion } from '../plan/questions.ts';
import { refusalOf } from '../plan/refused-topology.ts';
import type { HookState } from '../plan/upgrade/hook-state.ts';
import type { Versions } from '../plan/upgrade/version-progress.ts';
import { type ObservedTopology, withHookState } from '../seen.ts';
import type { TopologySettings } from '../settings.ts';
import { askAfterHooks, type TopologyHooks } from './hooks/topology-hooks.ts';
import type { PassReads } from './pass-reads.ts';
import { planVersions } from './plan-versions.ts';
import type { TopologyState } from './state.ts';

export type TopologyPorts = DryRunPort & HooksPort & WorkloadNodesPort;
export type Ask = Reads & TopologyPorts;

export interface Observing {
  readonly pass: Pass;
  readonly settings: TopologySettings;
}

interface Known {
  readonly state: TopologyState;
  readonly seen: ObservedTopology;
  readonly hookState: HookState;
  /** Undefined if the feature gate RuntimeSDK is disabled. */
  readonly hooks: TopologyHooks | undefined;
}

interface Asking {
  readonly ask: Ask;
  /** The cached reads of this pass. */
  readonly reads: PassReads;
}

const computing = 'error computing the desired state of the Cluster topology';
const reconciling = 'error reconciling the Cluster topology';

export async function observePlan(
  known: Known,
  { ask, reads }: Asking,
  observing: Observing,
): Promise<ObservedTopology> {
  const { blueprint, current } = known.state;
  const { pass, settings } = observing;
  const [decided, names] = await Promise.all([
    planVersions({ blueprint, current, hookState: known.hookState }, ask, { pass, hooks: known.hooks }),
    answerQuestions(chooseNames(blueprint, current), readAnswers(reads)),
  ]);
  const seen = decided.plan === undefined ? known.seen : { ...known.seen, plan: decided.plan };
  const stopAt = (failure: string, hookState = decided.hookState): ObservedTopology => ({
    ...withHookState(seen, hookState, 'withoutStart'),
    failure,
  });
  if (!decided.versions.ok) {
    return stopAt(`${computing}: ${decided.versions.error}`);
  }
  if (!names.ok) {
    return stopAt(`${computing}: ${names.error}`);
  }
  const versions = decided.versions.value;
  const desired = await computePatched({ known, names: names.value, versions }, ask, { pass, settings });
  if (!desired.ok) {
    return stopAt(`${computing}: ${desired.error}`);
  }
  const refused = refusalOf(blueprint, current);
  if (refused !== undefined) {
    return stopAt(refused);
  }
  const { cluster, topology } = blueprint;
  const asked = { cluster, versions, topologyVersion: topology.version, hookState: decided.hookState };
  const after = await askAfterHooks(asked, known.hooks);
  if (after.failure !== undefined) {
    return stopAt(`${reconciling}: ${after.failure}`, after.hookState);
  }
  const input = { blueprint, current, desired: desired.value, names: names.value, versions };
  const changes = await answerQuestions(planChanges(input), changeAnswers(ask));
  return {
    ...withHookState(seen, after.hookState, 'whole'),
    upgrade: { versions, controlPlaneKind: desired.value.controlPlane.object.kind },
    planned: { current, desired: desired.value, changes },
  };
}

interface ToCompute {
  readonly known: Known;
  readonly names: TopologyNames;
  readonly versions: Versions;
}

/** Returns the desired state with the patches of the class. */
async function computePatched(
  { known, names, versions }: ToCompute,
  ask: Ask,
  { pass, settings }: Observing,
): Promise<Checked<Desired>> {
  const { blueprint, current } = known.state;
  const computed = computeDesired({ blueprint, current, names, versions });
  if (!computed.ok) {
    return computed;
  }
  const patching = { blueprint, desired: computed.value, runtimeSdk: settings.callsExtensions };
  return prefixed(await applyPatches(patching, ask, pass), 'failed to apply patches');
}

/** Returns the desired objects after all patches in order, or the error of the first failed patch. */
export async function applyPatches(patching: Patching, ask: Reads & HooksPort, pass: Pass): Promise<Checked<Desired>> {
  const { blueprint, desired } = patching;
  if (blueprint.classSpec.patches.length === 0) {
    return valid(desired);
  }
  // Loads the template engine. It is a separate chunk that is loaded when the first topology is patched.
  const { patchDesired } = await import('../plan/patches/class-patches.ts');
  const calls = hooksOf(ask, pass);
  const object = blueprint.cluster.metadata;
  return answerQuestions(patchDesired(patching, pass.meter), {
    generatePatches: ({ handler, ...call }) => calls.callNamed(generatePatches, handler, { object, ...call }),
    validateTopology: ({ handler, ...call }) => calls.callNamed(validateTopology, handler, { object, ...call }),
  });
}

/** Answers the questions of plans with reads and dry runs. */
export function readAnswers(ask: Pick<PassReads, 'get' | 'metadata'>): AnswersTo<ReadQuestion> {
  return { get: ref => ask.get(ref), metadata: ref => ask.metadata(ref) };
}

export function changeAnswers(
  ask: Pick<Reads, 'get' | 'metadata'> & DryRunPort,
): AnswersTo<ReadQuestion | DryRunQuestion> {
  return { ...readAnswers(ask), dryRun: ({ intent, options }) => ask.dryRun.apply(intent, options) };
}
