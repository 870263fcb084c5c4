// The kinds of a workload cluster that drains and Node checks use: Nodes, Pods, DaemonSets, volumes, disruption budgets.
import { isJsonObject, memberOf } from '@capi-serverless/apimachinery';
import { toTimestamp } from '@capi-serverless/apimachinery/timestamp';
import { coreKind, freeSchema, namesOf, plainVersion } from './built-in-kind.ts';
import type { Resource, SelectableField, Strategy } from './kinds.ts';
import type { ObjectDraft, Stored } from './object.ts';
import type { StatusCause } from './status.ts';

interface Parts {
  readonly kind: string;
  readonly plural: string;
  readonly shortNames?: readonly string[];
  readonly fields?: readonly string[];
}

function workloadKind({ kind, plural, shortNames = [], fields = [] }: Parts, change: Partial<Resource>): Resource {
  const selectable: Record<string, SelectableField> = Object.fromEntries(
    fields.map(field => [field, field.split('.')]),
  );
  return coreKind(kind, plural, {
    names: namesOf(kind, { shortNames }),
    versions: plainVersion(freeSchema, selectable).map(version => ({ ...version, status: true })),
    listStrategies: {},
    ...change,
  });
}

/** New objects of these kinds begin with this status. */
function startsWith(status: object): Strategy {
  return { prepare: (draft, live) => (live === undefined ? { ...draft, status } : draft) };
}

const podDefaults = { restartPolicy: 'Always', terminationGracePeriodSeconds: 30 };

const podStrategy: Strategy = {
  ...startsWith({ phase: 'Pending' }),
  complete: draft => {
    const { spec } = draft;
    return isJsonObject(spec) ? { ...draft, spec: { ...podDefaults, ...spec } } : draft;
  },
  validate: problemsOfPod,
  graceSeconds: graceOfPod,
};

function problemsOfPod({ spec }: ObjectDraft): readonly StatusCause[] {
  const containers = memberOf(spec, 'containers');
  return Array.isArray(containers) && containers.length > 0
    ? []
    : [{ reason: 'FieldValueRequired', field: 'spec.containers', message: 'Required value' }];
}

/** The kubelet ends Pods on a Node. Other Pods, and Pods that have ended, are removed at once. */
function graceOfPod({ spec, status }: Stored, requested: number | undefined): number {
  const phase = memberOf(status, 'phase');
  if ((memberOf(spec, 'nodeName') ?? '') === '' || phase === 'Succeeded' || phase === 'Failed') {
    return 0;
  }
  const own = memberOf(spec, 'terminationGracePeriodSeconds');
  const seconds = requested ?? (typeof own === 'number' ? own : 0);
  return seconds < 0 ? 1 : seconds;
}

const podFields = [
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.schedulerName',
  'spec.serviceAccountName',
  'status.phase',
  'status.podIP',
  'status.nominatedNodeName',
];

const volumeStrategy: Strategy = {
  prepare: (draft, live, { now }) =>
    live === undefined ? { ...draft, status: { phase: 'Pending', lastPhaseTransitionTime: toTimestamp(now) } } : draft,
};

const daemonSetStatus = { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 };
const budgetStatus = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };

/** For the option `kinds` of the server and of the core. */
export const workloadKinds: readonly Resource[] = [
  workloadKind(
    { kind: 'Node', plural: 'nodes', shortNames: ['no'] },
    { namespaced: false, keepsNewStatus: true, listStrategies: { 'spec.taints': 'replace' } },
  ),
  workloadKind(
    { kind: 'Pod', plural: 'pods', shortNames: ['po'], fields: podFields },
    { countsGeneration: true, strategy: podStrategy, returnsDeleted: true, evictable: true },
  ),
  workloadKind(
    { kind: 'PersistentVolume', plural: 'persistentvolumes', shortNames: ['pv'] },
    { namespaced: false, strategy: volumeStrategy, returnsDeleted: true },
  ),
  workloadKind(
    { kind: 'PersistentVolumeClaim', plural: 'persistentvolumeclaims', shortNames: ['pvc'] },
    { strategy: startsWith({ phase: 'Pending' }), returnsDeleted: true },
  ),
  workloadKind(
    { kind: 'DaemonSet', plural: 'daemonsets', shortNames: ['ds'] },
    { group: 'apps', countsGeneration: true, strategy: startsWith(daemonSetStatus) },
  ),
  workloadKind(
    { kind: 'VolumeAttachment', plural: 'volumeattachments' },
    { group: 'storage.k8s.io', namespaced: false, strategy: startsWith({ attached: false }) },
  ),
  workloadKind(
    { kind: 'PodDisruptionBudget', plural: 'poddisruptionbudgets', shortNames: ['pdb'] },
    { group: 'policy', countsGeneration: true, strategy: startsWith(budgetStatus) },
  ),
];
