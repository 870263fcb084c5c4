// Applies the patches of a ClusterClass to what its topology shall be. Errors are those of Cluster API, without
// `failed to apply patches: `, which the caller puts in front.
import { type Checked, invalid, valid } from '../../../shared/api/checked.ts';
import { quote } from '../../../shared/api/field-error.ts';
import type { Pass, Reads } from '../../../shared/kernel/types.ts';
import { type HookCalls, hooksOf } from '../../../shared/runtime-hooks/calls.ts';
import type { HooksPort } from '../../../shared/runtime-hooks/port.ts';
import { generatePatches, validateTopology } from '../../../shared/runtime-hooks/rules/catalog.ts';
import type { Blueprint } from '../../../shared/topology/model/blueprint.ts';
import type { ClassPatch } from '../../../shared/topology/model/class-spec.ts';
import type { Desired } from '../../../shared/topology/model/desired.ts';
import type { PatchRun } from '../../../shared/topology/patches/run.ts';

export interface Patching {
  readonly blueprint: Blueprint;
  readonly desired: Desired;
  /** Whether extensions may be called: the feature gate RuntimeSDK. */
  readonly runtimeSdk: boolean;
}

/** The desired objects with all patches applied in order, or what went wrong with the first that failed. */
export async function applyPatches(
  { blueprint, desired, runtimeSdk }: Patching,
  ask: Reads & HooksPort,
  pass: Pass,
): Promise<Checked<Desired>> {
  const { patches } = blueprint.classSpec;
  if (patches.length === 0) {
    return valid(desired);
  }
  // With the template engine: a chunk of its own, read when the first topology is patched.
  const { PatchRun } = await import('../../../shared/topology/patches/run.ts');
  const run = PatchRun.start(blueprint, desired);
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
      return invalid(`validation of patch ${quote(patch.name)} failed: ${problem}`);
    }
  }
  const patched = run.value.finish();
  return patched.ok ? patched : invalid(`failed to apply patches to desired state: ${patched.error}`);
}

interface Calling {
  readonly run: PatchRun;
  readonly calls: HookCalls;
  readonly blueprint: Blueprint;
  readonly runtimeSdk: boolean;
}

/** What was wrong, or undefined. A patch that only validates generates nothing. */
async function applyPatch(patch: ClassPatch, calling: Calling): Promise<string | undefined> {
  const { name, definitions, external } = patch;
  const generator = external?.generatePatchesExtension ?? '';
  const validator = external?.validateTopologyExtension ?? '';
  if (definitions.length === 0 && generator === '' && validator === '') {
    return `failed to create patch generator for patch ${quote(name)}`;
  }
  const asks = (definitions.length === 0 && generator !== '') || validator !== '';
  if (asks && !calling.runtimeSdk) {
    return `can not use external patch ${quote(name)} if RuntimeSDK feature flag is disabled`;
  }
  if (definitions.length > 0) {
    return applyInline(patch, calling);
  }
  return generator === '' ? undefined : applyExternal(patch, generator, calling);
}

function applyInline(patch: ClassPatch, { run }: Calling): string | undefined {
  const generated = run.generate(patch);
  if (!generated.ok) {
    return `failed to generate patches for patch ${quote(patch.name)}: ${generated.error}`;
  }
  return withPatch(patch, run.applyGenerated(generated.value));
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
  if (!answer.ok) {
    return `failed to generate patches for patch ${quote(patch.name)}: ${answer.error}`;
  }
  return withPatch(patch, run.applyResponse(answer.value.items));
}

function withPatch({ name }: ClassPatch, problem: string | undefined): string | undefined {
  return problem === undefined ? undefined : `failed to apply patches for patch ${quote(name)}: ${problem}`;
}

/** Sees the templates after all patches, and the variables of this patch. */
async function validatePatch(patch: ClassPatch, { run, calls, blueprint }: Calling): Promise<string | undefined> {
  const handler = patch.external?.validateTopologyExtension ?? '';
  if (handler === '') {
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
