// Answers the questions of the stages of a deletion. Each stage asks for what it needs, so a stage that waits for a hook
// reads no Pods.
import { type Answer, answered, type Checked, invalid, type Reads, valid } from '@capi-serverless/apimachinery';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import type { Pass } from '@capi-serverless/reconciler';
import { type Cluster, clusterApiVersion } from '../../../shared/api/cluster/reader.ts';
import { controlPlaneLabel } from '../../../shared/api/machine/reader.ts';
import { readMachineDrainRule } from '../../../shared/api/machine-drain-rule/reader.ts';
import { isUnreachable, type WorkloadNode } from '../../../shared/api/node/reader.ts';
import { type PersistentVolume, readPersistentVolume } from '../../../shared/api/persistent-volume/reader.ts';
import { type Pod, readPod } from '../../../shared/api/pod/reader.ts';
import { readVolumeAttachment, type VolumeAttachment } from '../../../shared/api/volume-attachment/reader.ts';
import { readReferenced } from '../../../shared/external/read-referenced.ts';
import type { WorkloadReads } from '../../../shared/workload/api.ts';
import { classifyPods, type DrainContext, type DrainedPod, daemonSetsOf } from '../phases/deletion/classify-pods.ts';
import type { DeletionFacts, DeletionQuestion, DeletionScope } from '../phases/deletion/deletion-facts.ts';
import { needsNamespaces, rulesOfMachine } from '../phases/deletion/drain-rules.ts';
import { type DeletionPlan, planDeletion } from '../phases/deletion/plan-deletion.ts';
import { attachedVolumes, explainsAll } from '../phases/deletion/volumes.ts';

export interface Asking {
  readonly ask: Reads;
  readonly workload: WorkloadReads;
  readonly pass: Pass;
}

/** Reads what the stages need, up to the first stage that waits, and returns the plan. */
export async function observeDeletion(scope: Omit<DeletionScope, 'facts'>, asking: Asking): Promise<DeletionPlan> {
  let facts: DeletionFacts = {};
  for (;;) {
    const next = planDeletion({ ...scope, facts });
    if (!('ask' in next)) {
      return next;
    }
    // Each answer is a fact, so no question is asked twice.
    facts = { ...facts, ...(await answerTo(next.ask, { ...scope, facts }, asking)) };
  }
}

/** Returns the fact that answers the question. `plan` asks more than a pass. */
export async function answerTo(
  question: DeletionQuestion,
  scope: DeletionScope,
  asking: Asking,
): Promise<Partial<DeletionFacts>> {
  switch (question) {
    case 'controlPlane':
      return { controlPlane: await readControlPlane(scope, asking) };
    case 'hasMembers':
      return { hasMembers: await readMembers(scope, asking) };
    case 'pods':
      return { pods: await readPods(scope, asking) };
    case 'attachments':
      return { attachments: await readAttachments(asking) };
    case 'persistentVolumes':
      return { persistentVolumes: await readVolumes(scope, asking) };
  }
}

/** The stage asks only if the Cluster exists. */
function clusterOf({ cluster }: DeletionScope): Cluster {
  if (cluster === undefined) {
    throw new Error('A question about the workload cluster needs the Cluster');
  }
  return cluster;
}

function readControlPlane(scope: DeletionScope, { ask }: Asking) {
  const { spec } = clusterOf(scope);
  return readReferenced({ ref: spec.controlPlaneRef, namespace: scope.machine.metadata.namespace }, ask);
}

async function readMembers({ machine }: DeletionScope, { ask }: Asking): Promise<Checked<boolean>> {
  const { metadata, spec } = machine;
  const machines = await ask.list({
    apiVersion: clusterApiVersion,
    kind: 'Machine',
    namespace: metadata.namespace,
    labels: { [clusterNameLabel]: spec.clusterName },
  });
  return machines.ok
    ? valid(
        machines.value.some(
          ({ metadata: { name, labels = {}, deletionTimestamp } }) =>
            name !== metadata.name && controlPlaneLabel in labels && deletionTimestamp === undefined,
        ),
      )
    : invalid(machines.failure.message);
}

/** The stage asks only about a Node that was found. */
function nodeOf({ namedNode }: DeletionScope): WorkloadNode {
  if (namedNode.state !== 'found') {
    throw new Error('A question about the Pods of a Node needs the Node');
  }
  return namedNode.node;
}

const prefix = 'failed to get Pods for eviction';

/** Without Pods, nothing else is read. */
async function readPods(scope: DeletionScope, asking: Asking): Promise<Checked<readonly DrainedPod[]>> {
  const { workload } = asking;
  const fields = { 'spec.nodeName': scope.nodeName };
  const listed = await workload.list({ apiVersion: 'v1', kind: 'Pod', fields });
  if (!listed.ok) {
    return invalid(`${prefix}: ${listed.failure.message}`);
  }
  const pods = listed.value.map(readPod);
  if (pods.length === 0) {
    return valid([]);
  }
  const context = await readContext(pods, scope, asking);
  return context.ok ? classifyPods(pods, context.value) : context;
}

async function readContext(
  pods: readonly Pod[],
  scope: DeletionScope,
  { ask, workload, pass }: Asking,
): Promise<Checked<DrainContext>> {
  const { machine, settings } = scope;
  const { namespace, labels } = machine.metadata;
  const listed = await ask.list({ apiVersion: clusterApiVersion, kind: 'MachineDrainRule', namespace });
  if (!listed.ok) {
    return invalid(
      `${prefix}: failed to get matching MachineDrainRules: failed to list MachineDrainRules: ${listed.failure.message}`,
    );
  }
  const rules = rulesOfMachine(listed.value.map(readMachineDrainRule), {
    machineLabels: labels,
    clusterLabels: clusterOf(scope).metadata.labels ?? {},
  });
  if (!rules.ok) {
    return invalid(`${prefix}: failed to get matching MachineDrainRules: ${rules.error}`);
  }
  const [daemonSets, namespaces] = await Promise.all([
    readDaemonSets(pods, workload),
    needsNamespaces(rules.value) ? readNamespaces(pods, workload) : answered(undefined),
  ]);
  return namespaces.ok
    ? valid({
        isUnreachable: isUnreachable(nodeOf(scope)),
        now: pass.now,
        rules: rules.value,
        daemonSets,
        namespaces: namespaces.value,
        waitsForFinishedPods: settings.waitsForFinishedPods,
      })
    : invalid(`${prefix}: failed to list Namespaces: ${namespaces.failure.message}`);
}

/** Pods choose the names of their owners, so a Node may have Pods of any number of DaemonSets. */
const mostDaemonSetReads = 50;

/** Up to this number of DaemonSets, each is read by its name. */
async function readDaemonSets(pods: readonly Pod[], workload: WorkloadReads): Promise<DrainContext['daemonSets']> {
  const ids = daemonSetsOf(pods);
  if (ids.length > mostDaemonSetReads) {
    const listed = await workload.list({ apiVersion: 'apps/v1', kind: 'DaemonSet' });
    const existing = new Set(
      listed.ok ? listed.value.map(({ metadata: { namespace, name } }) => `${namespace}/${name}`) : [],
    );
    return new Map(ids.map(id => [id, listed.ok ? valid(existing.has(id)) : invalid(listed.failure.message)]));
  }
  const found = await Promise.all(
    ids.map(async id => {
      const [namespace = '', name = ''] = id.split('/');
      const answer = await workload.get({ apiVersion: 'apps/v1', kind: 'DaemonSet', namespace, name });
      const exists = answer.ok || answer.missing ? valid(answer.ok) : invalid(answer.failure.message);
      return [id, exists] as const;
    }),
  );
  return new Map(found);
}

/** Up to this number of Namespaces, each is read by its name. */
const mostSingleReads = 10;

async function readNamespaces(
  pods: readonly Pod[],
  workload: WorkloadReads,
): Promise<Answer<NonNullable<DrainContext['namespaces']>>> {
  const names = [...new Set(pods.map(({ metadata }) => metadata.namespace))];
  if (names.length > mostSingleReads) {
    const listed = await workload.list({ apiVersion: 'v1', kind: 'Namespace' });
    return listed.ok
      ? answered(new Map(listed.value.map(({ metadata }) => [metadata.name, metadata.labels ?? {}])))
      : listed;
  }
  const read = await Promise.all(names.map(name => workload.get({ apiVersion: 'v1', kind: 'Namespace', name })));
  const failed = read.find(answer => !answer.ok && !answer.missing);
  if (failed !== undefined && !failed.ok) {
    return failed;
  }
  const found = read.flatMap(answer => (answer.ok ? [answer.value.metadata] : []));
  return answered(new Map(found.map(({ name, labels = {} }) => [name, labels])));
}

async function readAttachments({ workload }: Asking): Promise<Checked<readonly VolumeAttachment[]>> {
  const listed = await workload.list({ apiVersion: 'storage.k8s.io/v1', kind: 'VolumeAttachment' });
  return listed.ok ? valid(listed.value.map(readVolumeAttachment)) : invalid(listed.failure.message);
}

/** Reads the named PersistentVolumes. The others are listed only if the Node has entries that these do not explain. */
async function readVolumes(scope: DeletionScope, { workload }: Asking): Promise<Checked<readonly PersistentVolume[]>> {
  const { attachments } = scope.facts;
  const attached = attachments?.ok === true ? attachedVolumes(nodeOf(scope), attachments.value) : undefined;
  if (attached?.ok !== true) {
    return valid([]);
  }
  const apiVersion = 'v1';
  const kind = 'PersistentVolume';
  const read = await Promise.all(
    [...new Set(attached.value.persistentVolumes)].map(name => workload.get({ apiVersion, kind, name })),
  );
  const failed = read.find(answer => !answer.ok && !answer.missing);
  if (failed !== undefined && !failed.ok) {
    return invalid(failed.failure.message);
  }
  const named = read.flatMap(answer => (answer.ok ? [readPersistentVolume(answer.value)] : []));
  if (explainsAll(attached.value, named)) {
    return valid(named);
  }
  const listed = await workload.list({ apiVersion, kind });
  return listed.ok ? valid(listed.value.map(readPersistentVolume)) : invalid(listed.failure.message);
}
