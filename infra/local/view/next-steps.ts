// What to try once everything runs. Pure.
import { readCluster } from '../../../shared/api/cluster/reader.ts';
import { toDisplayName, type Unstructured } from '../../../shared/api/object.ts';
import { compareText } from '../../../shared/names/text-order.ts';
import { orderPrefix } from '../provider/orders.ts';

export interface NextSteps {
  readonly kubeconfigPath: string;
  /** The Clusters that are there. */
  readonly clusters: readonly Unstructured[];
}

/** Lines of text with commands that can be pasted into a shell. The Cluster in them is the first by name. */
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
    `npm run why -- ${namespace}/${name} --kubeconfig ${kubeconfig}`,
    `kubectl annotate cluster ${target} cluster.x-k8s.io/paused=   # pause it; with paused- it goes on`,
    // Other providers do not break on request.
    ...(kind.startsWith('Simulated') ? [`${fail}='the network is down'   # break it; with fail- it mends`] : []),
    `kubectl delete cluster ${target}`,
  ];
}

/** For a shell: quoted when it holds anything but the usual characters of paths. */
function quote(text: string): string {
  return /^[\w./:@%+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
