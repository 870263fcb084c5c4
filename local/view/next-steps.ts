// Suggests commands after all objects are ready. Pure.

import { compareText, toDisplayName, type Unstructured } from '@capi-serverless/apimachinery';
import { readCluster } from '../../shared/api/cluster/reader.ts';
import { orderPrefix } from '../provider/orders.ts';

interface NextSteps {
  readonly kubeconfigPath: string;
  /** The existing Clusters. */
  readonly clusters: readonly Unstructured[];
}

/** Lines of text with commands to paste into a shell. They use the first Cluster by name. */
export function nextSteps({ kubeconfigPath, clusters }: NextSteps): readonly string[] {
  const kubeconfig = quote(kubeconfigPath);
  const [first] = clusters.toSorted((a, b) => compareText(toDisplayName(a.metadata), toDisplayName(b.metadata)));
  const commands = [
    `export KUBECONFIG=${kubeconfig}`,
    'kubectl get clusters -A',
    ...(first === undefined ? [] : commandsFor(first, kubeconfig)),
  ];
  return ['What to try next', ...commands.map(command => `  ${command}`)];
}

function commandsFor(cluster: Unstructured, kubeconfig: string): readonly string[] {
  const { name, namespace = '' } = cluster.metadata;
  const { kind, name: infrastructure } = readCluster(cluster).spec.infrastructureRef;
  const target = `-n ${namespace} ${name}`;
  const fail = `kubectl annotate ${kind.toLowerCase()} -n ${namespace} ${infrastructure} ${orderPrefix}fail`;
  return [
    `npx capi-serverless why ${namespace}/${name} --kubeconfig ${kubeconfig}`,
    `kubectl annotate cluster ${target} cluster.x-k8s.io/paused=   # pause it; paused- resumes it`,
    // Other providers have no such annotation.
    ...(kind.startsWith('Simulated') ? [`${fail}='the network is down'   # makes it fail; fail- repairs it`] : []),
    `kubectl delete cluster ${target}`,
  ];
}

/** Returns the text for a shell. It is quoted if it contains characters that are unusual in paths. */
function quote(text: string): string {
  return /^[\w./:@%+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
