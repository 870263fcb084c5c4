// The generated roles of a deployment, their bindings, and the forwarder with its account.
import type { Intent } from '@capi-serverless/apimachinery';
import { outputs } from '../../infra/kubernetes/outputs.ts';
import { applyManifests, parseManifests, toResultLines } from '../../local/manifests.ts';
import type { WorldClient } from './world-client.ts';

/** YAML texts by file name. */
export const generatedRoles: ReadonlyMap<string, string> = new Map(
  outputs
    .filter(({ path }) => /^(rbac|forwarder)\//.test(path) && !path.endsWith('/kustomization.yaml'))
    .map(({ path, text }) => [path, text]),
);

/** Creates all objects of these YAML texts, the namespaces first, and returns them. Throws if one is not created. */
export async function createManifests(
  { kubernetes }: Pick<WorldClient, 'kubernetes'>,
  files: ReadonlyMap<string, string>,
): Promise<readonly Intent[]> {
  const manifests = [...files]
    .flatMap(([name, text]) => parseManifests(text, name))
    .toSorted((a, b) => Number(b.kind === 'Namespace') - Number(a.kind === 'Namespace'));
  const applied = await applyManifests(kubernetes, manifests, { fieldManager: 'test' });
  const problems = applied.filter(({ outcome }) => outcome !== 'created').flatMap(toResultLines);
  if (problems.length > 0) {
    throw new Error(`Manifests were not created: ${problems.join('; ')}`);
  }
  return manifests;
}
