// Answers the questions of the stages of a deletion. Each stage asks for what it needs, so a stage that waits for a hook
// reads no Pods.
import { type Answer, answered, type Checked, invalid, type Unstructured, valid } from '@capi-serverless/apimachinery';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import { type AnswersTo, answerQuestions, concluded, type Pass, PlanEnd } from '@capi-serverless/reconciler';
import { clusterApiVersion } from '../../../shared/api/cluster/reader.ts';
import { controlPlaneLabel } from '../../../shared/api/machine/reader.ts';
import { readMachineDrainRule } from '../../../shared/api/machine-drain-rule/reader.ts';
import { isUnreachable } from '../../../shared/api/node/reader.ts';
import {
  type PersistentVolume,
  persistentVolumeParts,
  readPersistentVolume,
} from '../../../shared/api/persistent-volume/reader.ts';
import { type Pod, podParts, readPod } from '../../../shared/api/pod/reader.ts';
import {
  attachmentParts,
  readVolumeAttachment,
  type VolumeAttachment,
} from '../../../shared/api/volume-attachment/reader.ts';
import type { External } from '../../../shared/external/external.ts';
import type { ContractReads } from '../../../shared/external/read-in-contract.ts';
import { readReferenced } from '../../../shared/external/read-referenced.ts';
import type { WorkloadReads } from '../../../shared/workload/api.ts';
import { classifyPods, type DrainContext, type DrainedPod, daemonSetsOf } from '../phases/deletion/classify-pods.ts';
import type { DeletionQuestion, DeletionScope, PodsQuestion } from '../phases/deletion/deletion-scope.ts';
import { unanswered } from '../phases/deletion/deletion-stage.ts';
import { needsNamespaces, rulesOfMachine } from '../phases/deletion/drain-rules.ts';
import { type PlannedDeletion, planDeletion } from '../phases/deletion/plan-deletion.ts';
import { type AttachedVolumes, explainsAll, isAttached } from '../phases/deletion/volumes.ts';
import type { Postponements } from './postponements.ts';

export interface Asking {
  readonly ask: ContractReads;
  readonly workload: WorkloadReads;
  readonly pass: Pass;
}

/** A plan that is used instead of the stages. No check of this pass is remembered. */
interface EndedDeletion {
  readonly instead: PlannedDeletion;
}

/** Reads what the stages ask, up to the first stage that waits, and returns the plan. */
export async function observeDeletion(
  scope: DeletionScope,
  asking: Asking,
  postponements: Postponements,
): Promise<PlannedDeletion> {
  const { machine } = scope;
  const { pass } = asking;
  const bounded =
    <About, Fact extends External | Checked<unknown>>(
      question: DeletionQuestion['ask'],
      answer: (about: About) => Promise<Fact>,
    ) =>
    async (about: About): Promise<Fact | PlanEnd<EndedDeletion>> => {
      const postponed = postponements.planOf(machine, question, pass);
      if (postponed !== undefined) {
        return new PlanEnd({ instead: postponed });
      }
      const fact = await answer(about);
      const error = errorOf(fact);
      return error !== undefined && pass.signal.aborted
        ? new PlanEnd({ instead: concluded(unanswered(scope, error)) })
        : fact;
    };
  const answers = deletionAnswers(scope, asking);
  const planned = await answerQuestions(planDeletion(scope), {
    controlPlane: bounded('controlPlane', answers.controlPlane),
    hasMembers: bounded('hasMembers', answers.hasMembers),
    pods: bounded('pods', answers.pods),
    attachments: bounded('attachments', answers.attachments),
    persistentVolumes: bounded('persistentVolumes', answers.persistentVolumes),
  });
  if ('instead' in planned) {
    return planned.instead;
  }
  postponements.remember(machine, planned, pass);
  return planned;
}

/** Returns the error of a fact that could not be read. */
function errorOf(fact: External | Checked<unknown>): string | undefined {
  if ('ok' in fact) {
    return fact.ok ? undefined : fact.error;
  }
  return fact.state === 'unreadable' ? fact.error : undefined;
}

/** Answers with reads. The Pods are listed once. `plan` asks more than a pass. */
export function deletionAnswers(scope: DeletionScope, asking: Asking) {
  let pods: Promise<Checked<readonly DrainedPod[]>> | undefined;
  return {
    controlPlane: ({ spec }) =>
      readReferenced({ ref: spec.controlPlaneRef, namespace: scope.machine.metadata.namespace }, asking.ask),
    hasMembers: () => readMembers(scope, asking),
    pods: about => {
      pods ??= readPods(about, scope, asking);
      return pods;
    },
    attachments: nodeName => readAttachments(nodeName, asking),
    persistentVolumes: attached => readVolumes(attached, asking),
  } satisfies AnswersTo<DeletionQuestion>;
}

/** A control plane has few Machines. */
const membersPerPage = 50;

/** Reads metadata only, and no page after the first with such a Machine. */
async function readMembers({ machine }: DeletionScope, { ask }: Asking): Promise<Checked<boolean>> {
  const { metadata, spec } = machine;
  const isMember = ({ metadata: { name, deletionTimestamp } }: Unstructured): boolean =>
    name !== metadata.name && deletionTimestamp === undefined;
  const machines = await ask.list({
    apiVersion: clusterApiVersion,
    kind: 'Machine',
    namespace: metadata.namespace,
    labels: { [clusterNameLabel]: spec.clusterName },
    withLabels: [controlPlaneLabel],
    as: 'metadata',
    limit: membersPerPage,
    until: isMember,
  });
  return machines.ok ? valid(machines.value.some(isMember)) : invalid(machines.failure.message);
}

const prefix = 'failed to get Pods for eviction';

/** Without Pods, nothing else is read. */
async function readPods(
  question: PodsQuestion['about'],
  scope: DeletionScope,
  asking: Asking,
): Promise<Checked<readonly DrainedPod[]>> {
  const { workload } = asking;
  const fields = { 'spec.nodeName': question.node.metadata.name };
  const listed = await workload.list({ apiVersion: 'v1', kind: 'Pod', fields, parts: podParts }, readPod);
  if (!listed.ok) {
    return invalid(`${prefix}: ${listed.failure.message}`);
  }
  const pods = listed.value;
  if (pods.length === 0) {
    return valid([]);
  }
  const context = await readContext(pods, { ...question, machine: scope.machine, settings: scope.settings }, asking);
  return context.ok ? classifyPods(pods, context.value) : context;
}

async function readContext(
  pods: readonly Pod[],
  { cluster, node, machine, settings }: PodsQuestion['about'] & Pick<DeletionScope, 'machine' | 'settings'>,
  { ask, workload, pass }: Asking,
): Promise<Checked<DrainContext>> {
  const { namespace, labels } = machine.metadata;
  const listed = await ask.list({ apiVersion: clusterApiVersion, kind: 'MachineDrainRule', namespace });
  if (!listed.ok) {
    return invalid(
      `${prefix}: failed to get matching MachineDrainRules: failed to list MachineDrainRules: ${listed.failure.message}`,
    );
  }
  const rules = rulesOfMachine(listed.value.map(readMachineDrainRule), {
    machineLabels: labels,
    clusterLabels: cluster.metadata.labels ?? {},
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
        isUnreachable: isUnreachable(node),
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
    const listed = await workload.list({ apiVersion: 'apps/v1', kind: 'DaemonSet', parts: [] }, readId);
    const existing = new Set(listed.ok ? listed.value : []);
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
    const wanted = new Set(names);
    const listed = await workload.list({ apiVersion: 'v1', kind: 'Namespace', parts: [] }, raw => {
      const { name, labels = {} } = metadataOf(raw);
      return wanted.has(name) ? ([name, labels] as const) : undefined;
    });
    return listed.ok ? answered(new Map(listed.value.filter(isPresent))) : listed;
  }
  const read = await Promise.all(names.map(name => workload.get({ apiVersion: 'v1', kind: 'Namespace', name })));
  const failed = read.find(answer => !answer.ok && !answer.missing);
  if (failed !== undefined && !failed.ok) {
    return failed;
  }
  const found = read.flatMap(answer => (answer.ok ? [answer.value.metadata] : []));
  return answered(new Map(found.map(({ name, labels = {} }) => [name, labels])));
}

/** Keeps those of the Node: a large cluster has tens of thousands. */
async function readAttachments(nodeName: string, { workload }: Asking): Promise<Checked<readonly VolumeAttachment[]>> {
  const query = { apiVersion: 'storage.k8s.io/v1', kind: 'VolumeAttachment', parts: attachmentParts };
  const listed = await workload.list(query, raw => {
    const attachment = readVolumeAttachment(raw);
    return attachment.spec.nodeName === nodeName ? attachment : undefined;
  });
  return listed.ok ? valid(listed.value.filter(isPresent)) : invalid(listed.failure.message);
}

/** Reads the named PersistentVolumes. The others are listed only if the Node has entries that these do not explain. */
async function readVolumes(
  attached: AttachedVolumes,
  { workload }: Asking,
): Promise<Checked<readonly PersistentVolume[]>> {
  const apiVersion = 'v1';
  const kind = 'PersistentVolume';
  const read = await Promise.all(
    [...new Set(attached.persistentVolumes)].map(name => workload.get({ apiVersion, kind, name })),
  );
  const failed = read.find(answer => !answer.ok && !answer.missing);
  if (failed !== undefined && !failed.ok) {
    return invalid(failed.failure.message);
  }
  const named = read.flatMap(answer => (answer.ok ? [readPersistentVolume(answer.value)] : []));
  if (explainsAll(attached, named)) {
    return valid(named);
  }
  const listed = await workload.list({ apiVersion, kind, parts: persistentVolumeParts }, raw => {
    const volume = readPersistentVolume(raw);
    return isAttached(attached, volume) ? volume : undefined;
  });
  return listed.ok ? valid(listed.value.filter(isPresent)) : invalid(listed.failure.message);
}

function isPresent<T>(value: T | undefined): value is T {
  return value !== undefined;
}

function metadataOf(raw: unknown): Unstructured['metadata'] {
  return (raw as Unstructured).metadata; // true: a list contains objects
}

function readId(raw: unknown): string {
  const { namespace, name } = metadataOf(raw);
  return `${namespace}/${name}`;
}
