// Runs the patches of a ClusterClass, and calls their extensions.
import { type Checked, type Reads, valid } from '@capi-serverless/apimachinery';
import { answerQuestions, type Pass } from '@capi-serverless/reconciler';
import { hooksOf } from '../../../shared/runtime-hooks/calls.ts';
import type { HooksPort } from '../../../shared/runtime-hooks/port.ts';
import { generatePatches, validateTopology } from '../../../shared/runtime-hooks/rules/catalog.ts';
import type { Desired } from '../plan/desired/desired-topology.ts';
import type { Patching } from '../plan/patches/class-patches.ts';

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
