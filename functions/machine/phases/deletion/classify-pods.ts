// What a drain does with each Pod of a Node.
import {
  type Checked,
  compareText,
  type Instant,
  invalid,
  type Labels,
  quote,
  toAggregateText,
  valid,
} from '@capi-serverless/apimachinery';
import { instantOf } from '@capi-serverless/apimachinery/timestamp';
import type { MachineDrainRule } from '../../../../shared/api/machine-drain-rule/reader.ts';
import type { Pod } from '../../../../shared/api/pod/reader.ts';
import { appliesToPod } from './drain-rules.ts';

export interface Treatment {
  readonly behavior: 'Skip' | 'Drain' | 'WaitCompleted';
  readonly order: number;
}

export interface DrainedPod extends Treatment {
  readonly pod: Pod;
}

export interface DrainContext {
  /** Whether the kubelet of the Node no longer reports. */
  readonly isUnreachable: boolean;
  readonly now: Instant;
  /** The rules for the Machine, by name. */
  readonly rules: readonly MachineDrainRule[];
  /** Whether a DaemonSet exists, by `namespace/name`. */
  readonly daemonSets: ReadonlyMap<string, Checked<boolean>>;
  /** The labels of Namespaces by name. `undefined` if no rule needs them. */
  readonly namespaces: ReadonlyMap<string, Labels> | undefined;
  /** Upstream waits for Pods that are Succeeded or Failed until they are deleted. */
  readonly waitsForFinishedPods: boolean;
}

const drainLabel = 'cluster.x-k8s.io/drain';
const mirrorAnnotation = 'kubernetes.io/config.mirror';

/** On an unreachable Node, Pods that are being deleted for longer than this time are ignored. In whole seconds. */
const unreachableSeconds = 1;

const skip: Treatment = { behavior: 'Skip', order: 0 };
const drain: Treatment = { behavior: 'Drain', order: 0 };
const waitCompleted: Treatment = { behavior: 'WaitCompleted', order: 0 };

export function podName({ metadata }: Pod): string {
  return `${metadata.namespace}/${metadata.name}`;
}

/** Returns the DaemonSets of Pods that run, as `namespace/name`: the reads that the classification needs. */
export function daemonSetsOf(pods: readonly Pod[]): readonly string[] {
  return [...new Set(pods.flatMap(pod => daemonSetOf(pod) ?? []))].sort(compareText);
}

/** Returns all Pods by name. An error names the Pods that it concerns. */
export function classifyPods(pods: readonly Pod[], context: DrainContext): Checked<readonly DrainedPod[]> {
  const sorted = [...pods].sort((a, b) => compareText(podName(a), podName(b)));
  const drained: DrainedPod[] = [];
  const problems = new Map<string, string[]>();
  for (const pod of sorted) {
    const treatment = treatmentOf(pod, context);
    if (treatment.ok) {
      drained.push({ pod, ...treatment.value });
    } else {
      problems.set(treatment.error, [...(problems.get(treatment.error) ?? []), podName(pod)]);
    }
  }
  if (problems.size === 0) {
    return valid(drained);
  }
  const texts = [...problems].map(([error, names]) => `Pods with error ${quote(error)}: ${names.join(', ')}`);
  return invalid(`failed to get Pods for eviction: ${toAggregateText(texts)}`);
}

/** The first decision counts. */
function treatmentOf(pod: Pod, context: DrainContext): Checked<Treatment> {
  if (context.isUnreachable && isLongDeleted(pod, context.now)) {
    return valid(skip);
  }
  const daemonSet = daemonSetOf(pod);
  const exists = daemonSet === undefined ? valid(false) : daemonSetState(daemonSet, context);
  if (!exists.ok) {
    return exists;
  }
  if (exists.value || mirrorAnnotation in pod.metadata.annotations) {
    return valid(skip);
  }
  const labelled = labelledTreatment(pod);
  const treatment = labelled === undefined ? treatmentByRules(pod, context) : valid(labelled);
  const isCompleted = treatment.ok && treatment.value.behavior === 'WaitCompleted' && isFinished(pod);
  return isCompleted && !context.waitsForFinishedPods ? valid(skip) : treatment;
}

function isLongDeleted({ metadata }: Pod, now: Instant): boolean {
  const since = instantOf(metadata.deletionTimestamp);
  return since !== undefined && Math.floor((now - since) / 1000) > unreachableSeconds;
}

/** A finished Pod is treated as if it belonged to no DaemonSet. */
function daemonSetOf(pod: Pod): string | undefined {
  const owner = pod.metadata.ownerReferences.find(({ controller }) => controller);
  return owner?.kind === 'DaemonSet' && !isFinished(pod) ? `${pod.metadata.namespace}/${owner.name}` : undefined;
}

function isFinished({ status }: Pod): boolean {
  return status.phase === 'Succeeded' || status.phase === 'Failed';
}

function daemonSetState(name: string, { daemonSets }: DrainContext): Checked<boolean> {
  return daemonSets.get(name) ?? invalid(`DaemonSet ${name} was not read`);
}

/** The value is compared without case. The value of Pods that are waited for may have a hyphen. */
function labelledTreatment({ metadata }: Pod): Treatment | undefined {
  const value = (metadata.labels[drainLabel] ?? '').toLowerCase();
  if (value === 'skip') {
    return skip;
  }
  return value.replace('-', '') === 'waitcompleted' ? waitCompleted : undefined;
}

function treatmentByRules({ metadata }: Pod, { rules, namespaces }: DrainContext): Checked<Treatment> {
  const namespaceLabels = namespaces === undefined ? {} : namespaces.get(metadata.namespace);
  if (namespaceLabels === undefined) {
    return invalid('Pod Namespace does not exist');
  }
  const rule = rules.find(each => appliesToPod(each, { podLabels: metadata.labels, namespaceLabels }));
  if (rule === undefined) {
    return valid(drain);
  }
  const { behavior, order } = rule.spec.drain;
  switch (behavior) {
    case 'Drain':
      return valid({ behavior, order });
    case 'Skip':
      return valid(skip);
    case 'WaitCompleted':
      return valid(waitCompleted);
    default:
      return invalid(`MachineDrainRule "${rule.metadata.name}" has unknown spec.drain.behavior: ${quote(behavior)}`);
  }
}
