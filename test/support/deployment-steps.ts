// What whoever deploys does in a management cluster: manifests of ours, and programs of ours as their scripts run them.
import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import path from 'node:path';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { outputs } from '../../infra/kubernetes/outputs.ts';
import { applyManifests, parseManifests, toResultLines } from '../../infra/local/manifests.ts';
import type { Intent } from '../../shared/api/object.ts';
import type { Kubernetes } from '../../shared/kubernetes/port.ts';

/** Rejects with what was not created. */
export async function createAll(kubernetes: Kubernetes, objects: readonly Intent[]): Promise<void> {
  const applied = await applyManifests(kubernetes, objects, { fieldManager: 'test' });
  const problems = applied.filter(({ outcome }) => outcome !== 'created').flatMap(toResultLines);
  if (problems.length > 0) {
    throw new Error(problems.join('\n'));
  }
}

/** The generated manifests of these files, namespaces first. */
export function generatedManifests(files: RegExp): readonly Intent[] {
  return outputs
    .filter(output => files.test(output.path) && !output.path.endsWith('kustomization.yaml'))
    .flatMap(output => parseManifests(output.text, output.path))
    .toSorted((a, b) => Number(b.kind === 'Namespace') - Number(a.kind === 'Namespace'));
}

/** `program`: a file of infra/local. */
export function runProgram(program: string, args: readonly string[]): SpawnSyncReturns<string> {
  return spawnSync(process.execPath, [path.join(projectRoot, 'infra/local', program), ...args], {
    cwd: projectRoot,
    encoding: 'utf8',
    timeout: 60_000,
  });
}
