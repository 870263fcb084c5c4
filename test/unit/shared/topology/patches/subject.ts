// Runs over the settled topology for tests of the engine's pure parts.
import type { JsonObject } from '../../../../../shared/api/json.ts';
import { computeDesired } from '../../../../../shared/topology/desired/compute.ts';
import type { Blueprint } from '../../../../../shared/topology/model/blueprint.ts';
import type { ClassPatch } from '../../../../../shared/topology/model/class-spec.ts';
import type { Desired } from '../../../../../shared/topology/model/desired.ts';
import { defaultPatchLimits, type PatchLimits } from '../../../../../shared/topology/patches/limits.ts';
import { PatchRun } from '../../../../../shared/topology/patches/run.ts';
import { aDesiredInput, found, type Situation } from '../desired/subject.ts';

export interface RunSituation extends Situation {
  readonly limits?: Partial<PatchLimits>;
  /** Changes what was computed, as a broken blueprint would have it. */
  change?(blueprint: Blueprint): Blueprint;
}

export interface Started {
  readonly run: PatchRun;
  readonly desired: Desired;
  /** The patches of the class. */
  readonly patches: readonly ClassPatch[];
}

export function start(situation: RunSituation = {}): Started | string {
  const input = aDesiredInput(situation);
  const desired = computeDesired(input);
  if (!desired.ok) {
    throw new Error(desired.error);
  }
  const blueprint = situation.change?.(input.blueprint) ?? input.blueprint;
  const run = PatchRun.start(blueprint, desired.value, { ...defaultPatchLimits, ...situation.limits });
  return run.ok ? { run: run.value, desired: desired.value, patches: blueprint.classSpec.patches } : run.error;
}

export function started(situation: RunSituation = {}): Started {
  const outcome = start(situation);
  if (typeof outcome === 'string') {
    throw new Error(outcome);
  }
  return outcome;
}

/** The text of what went wrong with the class's inline patches, in their order; undefined where nothing did. */
export function problemOfPatches(situation: RunSituation): string | undefined {
  const { run, patches } = started(situation);
  for (const patch of patches) {
    const generated = run.generate(patch);
    const problem = generated.ok ? run.applyGenerated(generated.value) : generated.error;
    if (problem !== undefined) {
      return problem;
    }
  }
  return undefined;
}

/** What an extension's patches of one template come to: an object is a merge patch, and so is its text. */
export function applied(uid: string, documents: readonly (string | JsonObject)[], situation: RunSituation = {}) {
  const { run, desired } = started(situation);
  const items = documents.map(document => ({
    uid,
    patchType: typeof document === 'string' && !document.startsWith('{') ? 'JSONPatch' : 'JSONMergePatch',
    patch: typeof document === 'string' ? document : JSON.stringify(document),
  }));
  return { problem: run.applyResponse(items), run, desired };
}

export const infrastructureSelector = {
  apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
  kind: 'GenericInfrastructureClusterTemplate',
  matchResources: { infrastructureCluster: true },
} as const;

/** One inline patch for the infrastructure cluster. */
export function forInfrastructure(jsonPatches: readonly JsonObject[], fields: JsonObject = {}): Situation {
  const definitions = [{ selector: infrastructureSelector, jsonPatches }];
  return { ofClass: { spec: { patches: [{ name: 'p', definitions, ...fields }] } } };
}

export function patchOf({ patches }: Started): ClassPatch {
  return found(patches[0]);
}
