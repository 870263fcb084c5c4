// What is wrong with the kubeconfig of a workload cluster, before its API server is asked. No content is quoted.
import { isJsonObject, memberOf, type Reads, type Unstructured } from '@capi-serverless/apimachinery';
import { parseYaml } from '../../../shared/api/parse-yaml.ts';
import { isTooLargeForKubeconfig, kubeconfigName, secretText } from '../../../shared/api/secret.ts';

/** Resolves with a text such as `which does not exist`. `undefined` if it is a kubeconfig, or cannot be read. */
export async function readKubeconfigProblem(reads: Reads, cluster: Unstructured): Promise<string | undefined> {
  const { namespace = '' } = cluster.metadata;
  const answer = await reads.get({ apiVersion: 'v1', kind: 'Secret', namespace, name: kubeconfigName(cluster) });
  return answer.ok ? problemOf(secretText(answer.value, 'value')) : answer.missing ? 'which does not exist' : undefined;
}

function problemOf(text: string): string | undefined {
  if (text === '') {
    return 'which has no kubeconfig under the key value';
  }
  const parsed = isTooLargeForKubeconfig(text) ? undefined : parseYaml(text);
  const clusters = parsed?.ok === true && isJsonObject(parsed.value) ? memberOf(parsed.value, 'clusters') : undefined;
  return Array.isArray(clusters) && clusters.length > 0 ? undefined : 'whose value is not a kubeconfig';
}
