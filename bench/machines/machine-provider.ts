// The provider of the bench for Machines. It runs in the process of the bench, and is the same for every subject.
// It writes the fields of the bootstrap and the infrastructure contract, and creates Nodes.
import { type Intent, memberOf, type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import { staticConfigKind, staticMachineKind } from '../../test/support/static-provider.ts';
import type { WorldClient } from '../../test/support/world-client.ts';
import { followKind } from '../subjects/object-watch.ts';
import { namespace } from '../subjects/workload.ts';

const machineKind = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine' } as const;

interface Provider {
  stop(): void;
}

/**
 * Bootstrap data exists as soon as a Machine owns its configuration. A Machine with bootstrap data gets a Node, and then
 * infrastructure. Each step happens once per object. `onFailure` receives the first failure of each step.
 */
export async function startMachineProvider(client: WorldClient, onFailure: (error: Error) => void): Promise<Provider> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const done = new Set<string>();
  const oncePer = (object: Unstructured, step: () => Promise<unknown>): void => {
    const { uid } = object.metadata;
    if (!done.has(uid)) {
      done.add(uid);
      step().catch(onFailure);
    }
  };
  const bootstrap = await followKind(
    client,
    { ...staticConfigKind, namespace },
    {
      signal,
      onChange({ object, isDeleted }) {
        if (!isDeleted && isOwnedByMachine(object)) {
          oncePer(object, () => writeBootstrapData(client, object));
        }
      },
    },
  );
  const machines = await followKind(
    client,
    { ...machineKind, namespace },
    {
      signal,
      onChange({ object, isDeleted }) {
        if (!isDeleted && hasBootstrapData(object)) {
          oncePer(object, () => provideMachine(client, object));
        }
      },
    },
  );
  for (const { ended } of [bootstrap, machines]) {
    ended.catch(onFailure);
  }
  return { stop: () => stopping.abort() };
}

function isOwnedByMachine({ metadata }: Unstructured): boolean {
  const { ownerReferences = [], deletionTimestamp } = metadata;
  return deletionTimestamp === undefined && ownerReferences.some(({ kind }) => kind === machineKind.kind);
}

function hasBootstrapData({ metadata, spec }: Unstructured): boolean {
  return metadata.deletionTimestamp === undefined && valueAt(spec, 'bootstrap.dataSecretName') !== undefined;
}

async function writeBootstrapData(client: WorldClient, { metadata: { name } }: Unstructured): Promise<void> {
  const status = { initialization: { dataSecretCreated: true }, dataSecretName: `${name}-data` };
  await client.patch({ ...staticConfigKind, namespace, name }, { status }, 'status');
}

async function provideMachine(client: WorldClient, machine: Unstructured): Promise<void> {
  const { name } = machine.metadata;
  const providerID = `static://${namespace}/${name}`;
  await client.create(aNode({ name, providerID, version: String(memberOf(machine.spec, 'version')) }));
  const infrastructure = {
    ...staticMachineKind,
    namespace,
    name: String(valueAt(machine.spec, 'infrastructureRef.name')),
  };
  await client.patch(infrastructure, { spec: { providerID } });
  await client.patch(infrastructure, { status: { initialization: { provisioned: true } } }, 'status');
}

/** Returns the Node of a kubelet that is ready, with the taint of bootstrap providers. */
function aNode({
  name,
  providerID,
  version,
}: {
  readonly name: string;
  readonly providerID: string;
  readonly version: string;
}): Intent {
  const condition = (type: string, status: string, reason: string) => ({ type, status, reason, message: '' });
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name },
    spec: { providerID, taints: [{ key: 'node.cluster.x-k8s.io/uninitialized', effect: 'NoSchedule' }] },
    status: {
      conditions: [
        condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory'),
        condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure'),
        condition('PIDPressure', 'False', 'KubeletHasSufficientPID'),
        condition('Ready', 'True', 'KubeletReady'),
      ],
      nodeInfo: {
        architecture: 'amd64',
        bootID: 'b',
        containerRuntimeVersion: 'c',
        kernelVersion: 'k',
        kubeProxyVersion: '',
        kubeletVersion: version,
        machineID: 'm',
        operatingSystem: 'linux',
        osImage: 'i',
        systemUUID: 's',
      },
    },
  };
}
