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

/** What decided the treatment. `plan` shows it. */
export type TreatmentCause =
  | { readonly by: 'unreachable' | 'mirror' | 'label' | 'finished' | 'default' }
  /** The name of the rule, or the DaemonSet as `namespace/name`. */
  | { readonly by: 'daemonSet' | 'rule'; readonly name: string };

interface Treatment {
  readonly behavior: 'Skip' | 'Drain' | 'WaitCompleted';
  readonly order: number;
  readonly cause: TreatmentCause;
  /** The Pod has finished, so the drain does not wait for it. Its volumes are awaited, as it is not skipped. */
  readonly isCompleted?: true;
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

const skip = { behavior: 'Skip', order: 0 } as const;
const waitCompleted = { behavior: 'WaitCompleted', order: 0 } as const;

/** Returns true for a Pod that the drain evicts, or that it waits for. */
export function isAwaited({ behavior, isCompleted }: DrainedPod): boolean {
  return behavior !== 'Skip' && isCompleted !== true;
}

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
  const problems: { readonly error: string; readonly name: string }[] = [];
  for (const pod of sorted) {
    const treatment = treatmentOf(pod, context);
    if (treatment.ok) {
      drained.push({ pod, ...treatment.value });
    } else {
      problems.push({ error: treatment.error, name: podName(pod) });
    }
  }
  return problems.length === 0
    ? valid(drained)
    : invalid(`failed to get Pods for eviction: ${toAggregateText(problemTexts(problems))}`);
}

/** The text becomes the message of a condition, whose length the API server limits. */
const maxProblems = 5;
const maxNames = 5;

function problemTexts(problems: readonly { readonly error: string; readonly name: string }[]): readonly string[] {
  const byError = [...Map.groupBy(problems, ({ error }) => error)];
  const texts = byError.slice(0, maxProblems).map(([error, pods]) => {
    const names = pods.slice(0, maxNames).map(({ name }) => name);
    const more = pods.length > maxNames ? [`... (${pods.length - maxNames} more)`] : [];
    return `Pods with error ${quote(error)}: ${[...names, ...more].join(', ')}`;
  });
  const others = byError.length - maxProblems;
  return others > 0 ? [...texts, `Pods with ${others} other ${others === 1 ? 'error' : 'errors'}`] : texts;
}

/** The first decision counts. */
function treatmentOf(pod: Pod, context: DrainContext): Checked<Treatment> {
  if (context.isUnreachable && isLongDeleted(pod, context.now)) {
    return valid({ ...skip, cause: { by: 'unreachable' } });
  }
  const daemonSet = daemonSetOf(pod);
  const exists = daemonSet === undefined ? valid(false) : daemonSetState(daemonSet, context);
  if (!exists.ok) {
    return exists;
  }
  if (daemonSet !== undefined && exists.value) {
    return valid({ ...skip, cause: { by: 'daemonSet', name: daemonSet } });
  }
  if (mirrorAnnotation in pod.metadata.annotations) {
    return valid({ ...skip, cause: { by: 'mirror' } });
  }
  const labelled = labelledTreatment(pod);
  const treatment = labelled === undefined ? treatmentByRules(pod, context) : valid(labelled);
  const isCompleted = treatment.ok && treatment.value.behavior === 'WaitCompleted' && isFinished(pod);
  return isCompleted && !context.waitsForFinishedPods
    ? valid({ ...waitCompleted, cause: { by: 'finished' }, isCompleted: true })
    : treatment;
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
    return { ...skip, cause: { by: 'label' } };
  }
  return value.replace('-', '') === 'waitcompleted' ? { ...waitCompleted, cause: { by: 'label' } } : undefined;
}

function treatmentByRules({ metadata }: Pod, { rules, namespaces }: DrainContext): Checked<Treatment> {
  const namespaceLabels = namespaces === undefined ? {} : namespaces.get(metadata.namespace);
  if (namespaceLabels === undefined) {
    return invalid('Pod Namespace does not exist');
  }
  const rule = rules.find(each => appliesToPod(each, { podLabels: metadata.labels, namespaceLabels }));
  if (rule === undefined) {
    return valid({ behavior: 'Drain', order: 0, cause: { by: 'default' } });
  }
  const { behavior, order } = rule.spec.drain;
  const cause: TreatmentCause = { by: 'rule', name: rule.metadata.name };
  switch (behavior) {
    case 'Drain':
      return valid({ behavior, order, cause });
    case 'Skip':
      return valid({ ...skip, cause });
    case 'WaitCompleted':
      return valid({ ...waitCompleted, cause });
    default:
      return invalid(`MachineDrainRule "${rule.metadata.name}" has unknown spec.drain.behavior: ${quote(behavior)}`);
  }
}
