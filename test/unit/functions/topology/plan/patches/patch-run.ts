// Runs over the settled topology, for tests of the engine's pure parts.

import type { JsonObject, WorkMeter } from '@capi-serverless/apimachinery';
import { computeDesired } from '../../../../../../functions/topology/plan/desired/compute.ts';
import type { Desired } from '../../../../../../functions/topology/plan/desired/desired-topology.ts';
import {
  defaultPatchLimits,
  type PatchLimits,
} from '../../../../../../functions/topology/plan/patches/patch-limits.ts';
import { PatchRun } from '../../../../../../functions/topology/plan/patches/run.ts';
import type { ClassPatch } from '../../../../../../shared/api/cluster-class/class-spec.ts';
import type { Blueprint } from '../../../../../../shared/topology/model/blueprint.ts';
import { aDesiredInput, type DesiredParts, found } from '../desired/desired-input.ts';

export interface PatchRunOptions extends DesiredParts {
  readonly limits?: Partial<PatchLimits>;
  readonly meter?: WorkMeter;
  /** Changes the computed state, to simulate a defective blueprint. */
  change?(blueprint: Blueprint): Blueprint;
}

interface Started {
  readonly run: PatchRun;
  readonly desired: Desired;
  /** The patches of the class. */
  readonly patches: readonly ClassPatch[];
}

export function start(options: PatchRunOptions = {}): Started | string {
  const input = aDesiredInput(options);
  const desired = computeDesired(input);
  if (!desired.ok) {
    throw new Error(desired.error);
  }
  const blueprint = options.change?.(input.blueprint) ?? input.blueprint;
  const run = PatchRun.start(blueprint, desired.value, {
    limits: { ...defaultPatchLimits, ...options.limits },
    meter: options.meter,
  });
  return run.ok ? { run: run.value, desired: desired.value, patches: blueprint.classSpec.patches } : run.error;
}

export function started(options: PatchRunOptions = {}): Started {
  const outcome = start(options);
  if (typeof outcome === 'string') {
    throw new Error(outcome);
  }
  return outcome;
}

/** Returns the first error of the class's inline patches in order, or undefined without errors. */
export function problemOfPatches(options: PatchRunOptions): string | undefined {
  const { run, patches } = started(options);
  for (const patch of patches) {
    const generated = run.generate(patch);
    const problem = generated.ok ? run.applyGenerated(generated.value) : generated.error;
    if (problem !== undefined) {
      return problem;
    }
  }
  return undefined;
}

/** Returns the result of an extension's patches of one template. An object or its text is a merge patch. */
export function applied(uid: string, documents: readonly (string | JsonObject)[], options: PatchRunOptions = {}) {
  const { run, desired } = started(options);
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

/** Returns one inline patch for the infrastructure cluster. */
export function forInfrastructure(jsonPatches: readonly JsonObject[], fields: JsonObject = {}): DesiredParts {
  const definitions = [{ selector: infrastructureSelector, jsonPatches }];
  return { ofClass: { spec: { patches: [{ name: 'p', definitions, ...fields }] } } };
}

export function patchOf({ patches }: Started): ClassPatch {
  return found(patches[0]);
}
