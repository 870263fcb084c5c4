// Changes Nodes in the workload cluster of the stories.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { memberOf, type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import { connectWorldClient, type WorldClient } from '../support/world-client.ts';
import { clusterName, namespace } from './story-cluster.ts';

const kubeconfigSecret = { apiVersion: 'v1', kind: 'Secret', namespace, name: `${clusterName}-kubeconfig` };

/** The timeouts of the health checks are over for this time. */
const longAgoMs = 3_600_000;

/** Reports that the Node of the Machine has not been ready for an hour. */
export async function failNode({ read }: WorldClient, machine: Unstructured): Promise<void> {
  const workload = await connectWorkload(await read(kubeconfigSecret));
  const name = String(memberOf(valueAt(machine.status, 'nodeRef'), 'name'));
  const lastTransitionTime = new Date(Date.now() - longAgoMs).toISOString();
  const ready = { type: 'Ready', status: 'False', reason: 'KubeletNotReady', lastTransitionTime };
  await workload.patch({ apiVersion: 'v1', kind: 'Node', name }, { status: { conditions: [ready] } });
}

async function connectWorkload(secret: Unstructured | undefined): Promise<WorldClient> {
  const folder = mkdtempSync(path.join(tmpdir(), 'capi-workload-'));
  const file = path.join(folder, 'kubeconfig');
  writeFileSync(file, Buffer.from(String(valueAt(secret?.['data'], 'value')), 'base64'), { mode: 0o600 });
  try {
    return await connectWorldClient(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
