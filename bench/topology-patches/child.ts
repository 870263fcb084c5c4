// One run of the patch engine in a separate process. Prints its figures as JSON.
import { PatchRun } from '../../functions/topology/plan/patches/run.ts';
import { manyPatches } from '../../test/support/many-patches.ts';
import type { PatchFigures } from './topology-patches.ts';

const [machineDeployments = 0, patches = 0] = process.argv.slice(2).map(Number);
const { blueprint, desired } = manyPatches({ machineDeployments, patches });
const cpuBefore = process.cpuUsage();
const began = performance.now();
const run = PatchRun.start(blueprint, desired);
if (!run.ok) {
  throw new Error(run.error);
}
for (const patch of blueprint.classSpec.patches) {
  const generated = run.value.generate(patch);
  const problem = generated.ok ? run.value.applyGenerated(generated.value) : generated.error;
  if (problem !== undefined) {
    throw new Error(problem);
  }
}
const patched = run.value.finish();
if (!patched.ok) {
  throw new Error(patched.error);
}
const { user, system } = process.cpuUsage(cpuBefore);
const { parsed, rendered } = run.value.templates.counts;
const figures: PatchFigures = {
  elapsedMs: performance.now() - began,
  cpuMs: (user + system) / 1000,
  peakMiB: process.resourceUsage().maxRSS / 1024,
  parsed,
  rendered,
};
process.stdout.write(JSON.stringify(figures));
