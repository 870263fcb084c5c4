// Applies the patches of a ClusterClass in order, and asks extensions for external ones. Errors have the wording of Cluster API.
// The caller adds the prefix `failed to apply patches: `.
import {
  type Checked,
  invalid,
  prefixed,
  quote,
  type WorkMeter,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import { type AskingPlan, ask } from '@capi-serverless/reconciler';
import type { ClassPatch } from '../../../../shared/api/cluster-class/class-spec.ts';
import type { Blueprint } from '../../../../shared/topology/model/blueprint.ts';
import type { Desired } from '../desired/desired-topology.ts';
import type { PatchQuestion, ValidationQuestion } from '../questions.ts';
import { PatchRun } from './run.ts';

export interface Patching {
  readonly blueprint: Blueprint;
  readonly desired: Desired;
  /** Whether the feature gate RuntimeSDK is enabled, so that extensions may be called. */
  readonly runtimeSdk: boolean;
}

/** Returns the desired objects after all patches in order, or the error of the first failed patch. */
export function* patchDesired(
  { blueprint, desired, runtimeSdk }: Patching,
  meter: WorkMeter | undefined,
): AskingPlan<PatchQuestion | ValidationQuestion, Checked<Desired>> {
  const { patches } = blueprint.classSpec;
  const started = PatchRun.start(blueprint, desired, { meter });
  if (!started.ok) {
    return invalid(`failed to generate patch request: ${started.error}`);
  }
  const run = started.value;
  for (const patch of patches) {
    const problem = yield* applyPatch(patch, run, runtimeSdk);
    if (problem !== undefined) {
      return invalid(problem);
    }
  }
  for (const patch of patches) {
    const problem = yield* validatePatch(patch, run);
    if (problem !== undefined) {
      return invalid(patchProblems.validate(patch, problem));
    }
  }
  return prefixed(run.finish(), 'failed to apply patches to desired state');
}

/** Returns the error, or undefined. */
function* applyPatch(
  patch: ClassPatch,
  run: PatchRun,
  runtimeSdk: boolean,
): AskingPlan<PatchQuestion, string | undefined> {
  const made = toPatchKind(patch, runtimeSdk);
  switch (made.kind) {
    case 'refused':
      return made.problem;
    case 'none':
      return undefined;
    case 'inline':
      return applyInline(patch, run);
    case 'external':
      return yield* applyExternal(patch, made.handler, run);
  }
}

function applyInline(patch: ClassPatch, run: PatchRun): string | undefined {
  const generated = run.generate(patch);
  return generated.ok
    ? worded(patch, run.applyGenerated(generated.value))
    : patchProblems.generate(patch, generated.error);
}

function* applyExternal(
  patch: ClassPatch,
  handler: string,
  run: PatchRun,
): AskingPlan<PatchQuestion, string | undefined> {
  const request = run.generateRequest(patch);
  const settings = withoutUndefined({ settings: patch.external?.settings });
  const answer = yield* ask<PatchQuestion>('generatePatches', { handler, request, ...settings });
  return answer.ok ? worded(patch, run.applyResponse(answer.value.items)) : patchProblems.generate(patch, answer.error);
}

function worded(patch: ClassPatch, problem: string | undefined): string | undefined {
  return problem === undefined ? undefined : patchProblems.apply(patch, problem);
}

/** The extension receives the templates after all patches, and the variables of this patch. */
function* validatePatch(patch: ClassPatch, run: PatchRun): AskingPlan<ValidationQuestion, string | undefined> {
  const handler = validatorOf(patch);
  if (handler === undefined) {
    return undefined;
  }
  const request = run.validateRequest(patch);
  const settings = withoutUndefined({ settings: patch.external?.settings });
  const answer = yield* ask<ValidationQuestion>('validateTopology', { handler, request, ...settings });
  return answer.ok ? undefined : answer.error;
}

/** 'none': the patch only validates. */
export type PatchKind =
  | { readonly kind: 'inline' }
  | { readonly kind: 'external'; readonly handler: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'refused'; readonly problem: string };

/** `runtimeSdk`: whether extensions may be called. */
export function toPatchKind({ name, definitions, external }: ClassPatch, runtimeSdk: boolean): PatchKind {
  const generator = external?.generatePatchesExtension ?? '';
  const validator = external?.validateTopologyExtension ?? '';
  const isInline = (definitions ?? []).length > 0;
  if (!isInline && generator === '' && validator === '') {
    return { kind: 'refused', problem: `failed to create patch generator for patch ${quote(name)}` };
  }
  const callsExtension = (!isInline && generator !== '') || validator !== '';
  if (callsExtension && !runtimeSdk) {
    const problem = `can not use external patch ${quote(name)} if RuntimeSDK feature flag is disabled`;
    return { kind: 'refused', problem };
  }
  if (isInline) {
    return { kind: 'inline' };
  }
  return generator === '' ? { kind: 'none' } : { kind: 'external', handler: generator };
}

/** Returns the handler that validates the patched topology, or undefined if there is none. */
export function validatorOf({ external }: ClassPatch): string | undefined {
  const handler = external?.validateTopologyExtension ?? '';
  return handler === '' ? undefined : handler;
}

export const patchProblems = {
  generate: ({ name }: ClassPatch, cause: string) => `failed to generate patches for patch ${quote(name)}: ${cause}`,
  apply: ({ name }: ClassPatch, cause: string) => `failed to apply patches for patch ${quote(name)}: ${cause}`,
  validate: ({ name }: ClassPatch, cause: string) => `validation of patch ${quote(name)} failed: ${cause}`,
} as const;
