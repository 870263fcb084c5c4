// The steps of a deployment in a management cluster: the manifests and programs of this project, as their scripts run
// them.
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import type { Intent, Kubernetes } from '@capi-serverless/apimachinery';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { outputs } from '../../infra/kubernetes/outputs.ts';
import { applyManifests, parseManifests, toResultLines } from '../../local/manifests.ts';
import { raisedLimits } from './time-limits.ts';

/** Objects that exist already are patched. Rejects with the objects that were refused. */
export async function applyAll(kubernetes: Kubernetes, objects: readonly Intent[]): Promise<void> {
  const applied = await applyManifests(kubernetes, objects, { fieldManager: 'test' });
  const problems = applied
    .filter(({ outcome }) => outcome !== 'created' && outcome !== 'patched')
    .flatMap(toResultLines);
  if (problems.length > 0) {
    throw new Error(problems.join('\n'));
  }
}

/** Returns the generated manifests of these files, namespaces first. */
export function generatedManifests(files: RegExp): readonly Intent[] {
  return outputs
    .filter(output => files.test(output.path) && !output.path.endsWith('kustomization.yaml'))
    .flatMap(output => parseManifests(output.text, output.path))
    .toSorted((a, b) => Number(b.kind === 'Namespace') - Number(a.kind === 'Namespace'));
}

/** `program` is a file in `local`. */
export function runProgram(command: string, args: readonly string[]): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, ['cli/bin.js', command, ...args], {
    cwd: projectRoot,
    encoding: 'utf8',
    env: { ...process.env, ...raisedLimits },
    timeout: 300_000,
  });
}
