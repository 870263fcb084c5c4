// What happens in a deployment until each function has made each of its calls to AWS.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Intent, Unstructured } from '@capi-serverless/apimachinery';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import type { Declaration } from '@capi-serverless/reconciler';
import { declarations } from '../../../functions/declarations.ts';
import { projectRoot } from '../../../infra/bundles/bundle.ts';
import { parseManifests } from '../../../local/manifests.ts';
import { expansionVersion } from '../../../shared/workqueue/expand.ts';
import type { Request } from '../../../shared/workqueue/message.ts';
import { toDelayedMessage, toExpandMessage, toWorkMessage } from '../../../shared/workqueue/outgoing.ts';
import type { OutgoingMessage } from '../../../shared/workqueue/port.ts';
import { deadLetterQueueOf, delayQueue, expandQueue, workQueueOf } from '../../../shared/workqueue/queue-names.ts';
import { allSent } from '../../support/accepted.ts';
import { auditToken } from '../../support/audit-poster.ts';
import { anExtensionConfig } from '../../support/extension-config.ts';
import { aBody, aDelivery, aPost, recordedEvent } from '../../unit/functions/audit-webhook/audit-posts.ts';
import type { RunningDeployment } from './run-deployment.ts';

const namespace = 'default';
const hour = 3_600_000;
const hooks = 'hooks.runtime.cluster.x-k8s.io/v1alpha1';

export async function playScenario(running: RunningDeployment): Promise<void> {
  await registerExtension(running);
  const objects = await createObjects(running);
  await reportChanges(running, objects);
  await loseMessages(running);
  await rotateToken(running);
  // The topology calls hooks once its class has been reconciled.
  await untilServed(running);
  await enqueueAll(running);
  await untilServed(running);
  await running.forwarder?.stop();
  // A function that cannot reach its API server sends each message again, later.
  await running.server.stop();
  await sendToWorkQueues(running);
  await expandAll(running);
  await untilServed(running);
}

/** Hooks are called for Clusters and ClusterClasses once the functions have discovered the extension. */
async function registerExtension(running: RunningDeployment): Promise<void> {
  const { client, extensions, functions } = running;
  extensions.answer('discovery', {
    body: {
      apiVersion: hooks,
      kind: 'DiscoveryResponse',
      status: 'Success',
      handlers: [
        { name: 'before', requestHook: { apiVersion: hooks, hook: 'BeforeClusterCreate' } },
        { name: 'variables', requestHook: { apiVersion: hooks, hook: 'DiscoverVariables' } },
      ],
    },
  });
  extensions.answer('beforeclustercreate/before', {
    body: { apiVersion: hooks, kind: 'BeforeClusterCreateResponse', status: 'Success', retryAfterSeconds: 0 },
  });
  extensions.answer('discovervariables/variables', {
    body: { apiVersion: hooks, kind: 'DiscoverVariablesResponse', status: 'Success', variables: [] },
  });
  await client.create(anExtensionConfig().withUrl(extensions.url).withCaBundle(extensions.ca).intent());
  await functions.get('windowed-forwarder')?.invoke({});
  await untilServed(running);
}

async function createObjects({ client }: RunningDeployment): Promise<readonly Unstructured[]> {
  const topology = ['cluster-class.yaml', 'cluster.yaml'].flatMap(file => {
    const source = path.join(projectRoot, 'examples/topology', file);
    return parseManifests(readFileSync(source, 'utf8'), source);
  });
  const workers = ['MachineDeployment', 'MachineSet'].map(toWorker);
  const created: Unstructured[] = [];
  for (const object of [...topology, ...workers, aMachine, aMachinePool, aMachineHealthCheck, ...resourceSets]) {
    created.push(await client.create(object.kind === 'ClusterClass' ? withDiscoveredVariables(object) : object));
  }
  const extension = await client.read({
    apiVersion: 'runtime.cluster.x-k8s.io/v1beta2',
    kind: 'ExtensionConfig',
    name: 'ext1',
  });
  return extension === undefined ? created : [...created, extension];
}

function withDiscoveredVariables(object: Intent): Intent {
  const { patches = [], ...spec } = object['spec'] as { readonly patches?: readonly unknown[] }; // true: it is a ClusterClass
  const external = { name: 'discovered', external: { discoverVariablesExtension: 'variables.ext1' } };
  return { ...object, spec: { ...spec, patches: [...patches, external] } };
}

const machineSpec = {
  clusterName: 'managed',
  bootstrap: { dataSecretName: 'data' },
  infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'SimulatedMachine', name: 'worker' },
};

const aMachine: Intent = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Machine',
  metadata: { namespace, name: 'worker', labels: { 'cluster.x-k8s.io/cluster-name': 'managed' } },
  spec: machineSpec,
};

const aMachinePool: Intent = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'MachinePool',
  metadata: { namespace, name: 'worker', labels: { 'cluster.x-k8s.io/cluster-name': 'managed' } },
  spec: { clusterName: 'managed', replicas: 1, template: { spec: machineSpec } },
};

const aMachineHealthCheck: Intent = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'MachineHealthCheck',
  metadata: { namespace, name: 'worker', labels: { 'cluster.x-k8s.io/cluster-name': 'managed' } },
  spec: {
    clusterName: 'managed',
    selector: { matchLabels: { of: 'worker' } },
    checks: { unhealthyNodeConditions: [{ type: 'Ready', status: 'False', timeoutSeconds: 300 }] },
  },
};

const addons = { apiVersion: 'addons.cluster.x-k8s.io/v1beta2', metadata: { namespace, name: 'managed' } };

/** The set selects no Cluster, so that the binding stays. */
const resourceSets: readonly Intent[] = [
  {
    ...addons,
    kind: 'ClusterResourceSet',
    spec: { clusterSelector: { matchLabels: { of: 'none' } }, resources: [{ kind: 'ConfigMap', name: 'none' }] },
  },
  { ...addons, kind: 'ClusterResourceSetBinding', spec: { clusterName: 'managed' } },
];

function toWorker(kind: string): Intent {
  return {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind,
    metadata: {
      namespace,
      name: 'worker',
      labels: { 'cluster.x-k8s.io/cluster-name': 'managed', 'topology.cluster.x-k8s.io/owned': '' },
    },
    spec: {
      clusterName: 'managed',
      selector: { matchLabels: { of: 'worker' } },
      template: {
        metadata: { labels: { of: 'worker' } },
        spec: machineSpec,
      },
    },
  };
}

/** Both event sources and the resync report each object. */
async function reportChanges(
  { functions, isAuditLogSource }: RunningDeployment,
  objects: readonly Unstructured[],
): Promise<void> {
  await functions.get('windowed-forwarder')?.invoke({});
  await functions.get('resync')?.invoke({});
  const events = objects.map(toAuditEvent);
  const post = aPost(aBody(...events), { authorization: `Bearer ${auditToken}` });
  const logs = { awslogs: { data: aDelivery(events.map(event => JSON.stringify(event))) } };
  await functions.get('audit-webhook')?.invoke(isAuditLogSource ? logs : post);
}

/** The resync sends dead letters of these queues again, if the run before found as many. */
async function loseMessages(running: RunningDeployment): Promise<void> {
  const { queues, functions } = running;
  const timers = declarations.map(declaration => toDelayedMessage(toRequest(declaration, running), 0));
  allSent(await queues.send(deadLetterQueueOf(delayQueue), timers));
  allSent(await queues.send(deadLetterQueueOf(expandQueue), toExpansions()));
  await functions.get('resync')?.invoke({});
  await functions.get('resync')?.invoke({});
}

function toAuditEvent(object: Unstructured): unknown {
  const [apiGroup, apiVersion] = object.apiVersion.split('/');
  const { name, namespace: of } = object.metadata;
  const resource = object.kind.toLowerCase().replace(/s?$/, ending => (ending === 's' ? 'ses' : 's'));
  return recordedEvent('create-clusters-RequestResponse-201.eventlist.json', {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    objectRef: { resource, apiGroup, apiVersion, name, ...(of && { namespace: of }) },
    responseObject: object,
  });
}

async function rotateToken({ functions, secrets }: RunningDeployment): Promise<void> {
  const rotation = functions.get('rotate-audit-token');
  const secret = [...secrets.keys()].at(-1);
  for (const Step of rotation === undefined ? [] : ['createSecret', 'setSecret', 'testSecret', 'finishSecret']) {
    await rotation?.invoke({ Step, SecretId: secret, ClientRequestToken: randomUUID() });
  }
}

function toRequest({ name, primary }: Declaration, { managementCluster }: RunningDeployment): Request {
  const { group, kind, scope } = primary;
  return {
    v: 1,
    reconciler: name,
    key: { managementCluster, group, kind, namespace: scope === 'Cluster' ? '' : namespace, name: 'managed' },
    cause: 'manual',
    attempt: 0,
    trace: randomUUID(),
  };
}

/** A due timer, an early timer and an expansion for each reconciler. */
async function enqueueAll(running: RunningDeployment): Promise<void> {
  for (const declaration of declarations) {
    const request = toRequest(declaration, running);
    const timers = [toDelayedMessage(request, 0), toDelayedMessage({ ...request, due: Date.now() + hour }, 0)];
    allSent(await running.queues.send(delayQueue, timers));
  }
  await expandAll(running);
}

async function expandAll({ queues }: RunningDeployment): Promise<void> {
  allSent(await queues.send(expandQueue, toExpansions()));
}

function toExpansions(): readonly OutgoingMessage[] {
  return declarations.map(({ name, primary: { group, version, kind } }) =>
    toExpandMessage({
      v: expansionVersion,
      reconciler: name,
      source: { apiVersion: `${group}/${version}`, kind },
      trace: randomUUID(),
    }),
  );
}

async function sendToWorkQueues(running: RunningDeployment): Promise<void> {
  for (const declaration of declarations) {
    const message = toWorkMessage(toRequest(declaration, running), randomUUID);
    allSent(await running.queues.send(workQueueOf(declaration.name), [message]));
  }
}

/** Waits until no message waits or is being processed, except timers. */
async function untilServed({ queues }: RunningDeployment): Promise<void> {
  for (let quiet = 0; quiet < 3; ) {
    await systemClock.sleep(500);
    const names = [delayQueue, expandQueue, ...declarations.map(({ name }) => workQueueOf(name))];
    const depths = await Promise.all(names.map(name => queues.depth(name).catch(() => undefined)));
    const waiting = depths.reduce((sum, depth) => sum + (depth === undefined ? 0 : depth.visible + depth.inFlight), 0);
    quiet = waiting === 0 ? quiet + 1 : 0;
  }
}
