// Reads everything of several workload clusters at the same time and keeps it, in a process of its own. Prints the
// peak of its resident memory in MiB, and how the reads of each cluster ended. Arguments: the address of the API server of all, and the names of the clusters.
// The requests of a cluster have the path prefix `/<name>`.
import { type Answer, toDisplayName, type Unstructured } from '@capi-serverless/apimachinery';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { createWorkloadClients } from '../../../shared/kubernetes/rest/workload-clients.ts';
import { createWorkloadNodes } from '../../../shared/kubernetes/rest/workload-nodes.ts';
import { plainKubeconfig } from '../../support/workload-kubeconfig.ts';

const [, , server = '', ...names] = process.argv;
const access = { userAgent: 'test', addresses: 'any' } as const;
const clients = createWorkloadClients({ ...access, client: 'test', clock: systemClock });
const workloadNodes = createWorkloadNodes(access);
const { signal } = new AbortController();
const nodeNames = Array.from({ length: 8 }, (_, index) => `n${index}`);

async function readAll(name: string) {
  const kubeconfig = plainKubeconfig({ server: `${server}/${name}` });
  const target = { cluster: name, origin: 'in a test', kubeconfig, version: '1' };
  const reads = clients.api.reads(target, signal);
  const pods = { apiVersion: 'v1', kind: 'Pod' };
  return Promise.all([
    reads.nodes(),
    reads.list(pods),
    reads.list(pods, toDisplayNameOf),
    reads.resources('v1'),
    ...nodeNames.map(node => reads.get({ apiVersion: 'v1', kind: 'Node', name: node })),
    workloadNodes.kubeletVersions(target, nodeNames, signal),
  ]);
}

/** True: the client has checked the items of the list. */
const toDisplayNameOf = (pod: unknown): string => toDisplayName((pod as Unstructured).metadata);

const held = await Promise.all(names.map(readAll));
process.stdout.write(`peak ${Math.ceil(process.resourceUsage().maxRSS / 1024)}\n`);
for (const [index, answers] of held.entries()) {
  const ends = answers.map(answer =>
    answer instanceof Map ? [...answer.values()].map(toEnd).join(',') : toEnd(answer),
  );
  process.stdout.write(`${names[index]} ${ends.join(' ')}\n`);
}

function toEnd(answer: Answer<unknown> | { readonly ok: boolean } | ReadonlyMap<string, unknown>): string {
  return 'ok' in answer && answer.ok ? 'read' : 'refused';
}
