// Applies the patches of a ClusterClass to the desired state of a topology. Errors have the wording of Cluster API. The
// caller adds the prefix `failed to apply patches: `.
import { type Checked, invalid, prefixed, type Reads, valid } from '@capi-serverless/apimachinery';
import type { Pass } from '@capi-serverless/reconciler';
import type { ClassPatch } from '../../../shared/api/cluster-class/class-spec.ts';
import { type HookCalls, hooksOf } from '../../../shared/runtime-hooks/calls.ts';
import type { HooksPort } from '../../../shared/runtime-hooks/port.ts';
import { generatePatches, validateTopology } from '../../../shared/runtime-hooks/rules/catalog.ts';
import type { Blueprint } from '../../../shared/topology/model/blueprint.ts';
import type { Desired } from '../plan/desired/desired-topology.ts';
import { patchProblems, toPatchKind, validatorOf } from '../plan/patches/patch-kind.ts';
import type { PatchRun } from '../plan/patches/run.ts';

interface Patching {
  readonly blueprint: Blueprint;
  readonly desired: Desired;
  /** Whether the feature gate RuntimeSDK is enabled, so that extensions may be called. */
  readonly runtimeSdk: boolean;
}

/** Returns the desired objects after all patches in order, or the error of the first failed patch. */
export async function applyPatches(
  { blueprint, desired, runtimeSdk }: Patching,
  ask: Reads & HooksPort,
  pass: Pass,
): Promise<Checked<Desired>> {
  const { patches } = blueprint.classSpec;
  if (patches.length === 0) {
    return valid(desired);
  }
  // Loads the template engine. It is a separate chunk that is loaded when the first topology is patched.
  const { PatchRun } = await import('../plan/patches/run.ts');
  const run = PatchRun.start(blueprint, desired, { meter: pass.meter });
  if (!run.ok) {
    return invalid(`failed to generate patch request: ${run.error}`);
  }
  const calling: Calling = { run: run.value, calls: hooksOf(ask, pass), blueprint, runtimeSdk };
  for (const patch of patches) {
    const problem = await applyPatch(patch, calling);
    if (problem !== undefined) {
      return invalid(problem);
    }
  }
  for (const patch of patches) {
    const problem = await validatePatch(patch, calling);
    if (problem !== undefined) {
      return invalid(patchProblems.validate(patch, problem));
    }
  }
  return prefixed(run.value.finish(), 'failed to apply patches to desired state');
}

interface Calling {
  readonly run: PatchRun;
  readonly calls: HookCalls;
  readonly blueprint: Blueprint;
  readonly runtimeSdk: boolean;
}

/** Returns the error, or undefined. */
async function applyPatch(patch: ClassPatch, calling: Calling): Promise<string | undefined> {
  const made = toPatchKind(patch, calling.runtimeSdk);
  switch (made.kind) {
    case 'refused':
      return made.problem;
    case 'none':
      return undefined;
    case 'inline':
      return applyInline(patch, calling);
    case 'external':
      return applyExternal(patch, made.handler, calling);
  }
}

function applyInline(patch: ClassPatch, { run }: Calling): string | undefined {
  const generated = run.generate(patch);
  return generated.ok
    ? worded(patch, run.applyGenerated(generated.value))
    : patchProblems.generate(patch, generated.error);
}

async function applyExternal(
  patch: ClassPatch,
  handler: string,
  { run, calls, blueprint }: Calling,
): Promise<string | undefined> {
  const answer = await calls.callNamed(generatePatches, handler, {
    object: blueprint.cluster.metadata,
    request: run.generateRequest(patch),
    ...settingsOf(patch),
  });
  return answer.ok ? worded(patch, run.applyResponse(answer.value.items)) : patchProblems.generate(patch, answer.error);
}

function worded(patch: ClassPatch, problem: string | undefined): string | undefined {
  return problem === undefined ? undefined : patchProblems.apply(patch, problem);
}

/** The extension receives the templates after all patches, and the variables of this patch. */
async function validatePatch(patch: ClassPatch, { run, calls, blueprint }: Calling): Promise<string | undefined> {
  const handler = validatorOf(patch);
  if (handler === undefined) {
    return undefined;
  }
  const answer = await calls.callNamed(validateTopology, handler, {
    object: blueprint.cluster.metadata,
    request: run.validateRequest(patch),
    ...settingsOf(patch),
  });
  return answer.ok ? undefined : answer.error;
}

function settingsOf({ external }: ClassPatch) {
  return external === undefined ? {} : { settings: external.settings };
}
