// The public interface of the topology reconciler for CLI commands.
import {
  type Checked,
  type Intent,
  isJsonObject,
  type ObjectRef,
  quote,
  toDisplayName,
  toRecord,
  type Unstructured,
  valid,
  valueAt,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import { clusterNameLabel } from '@capi-serverless/cluster-api/contract';
import { clusterApiVersion } from '../../shared/api/cluster/reader.ts';
import { type ExplainContext, type ExplainedAction, type Replaced, toFace } from '../../shared/explain/face.ts';
import { hooksThatAgree } from '../../shared/explain/hooks-that-agree.ts';
import { remediesOfTopology, waitOfTopology } from '../../shared/explain/topology-waits.ts';
import type { HookResponses } from '../../shared/runtime-hooks/rules/hook.ts';
import { readClusterTopology } from '../../shared/topology/model/cluster-topology.ts';
import {
  clonedFromGroupKindAnnotation,
  clonedFromNameAnnotation,
  deploymentNameLabel,
  poolNameLabel,
} from '../../shared/topology/model/keys.ts';
import { workerVersion } from '../../shared/topology/upgrade/worker-version.ts';
import { nodesOfPool } from '../../shared/topology/upgrade/workers-upgrading.ts';
import type { WorkloadNodes } from '../../shared/workload/port.ts';
import { isUpgrading, upgradeExplanation } from './conditions/cluster-upgrading.ts';
import { bookkeepingId, clusterId } from './decide.ts';
import type { WorkerProgress } from './plan/upgrade/version-progress.ts';
import { createTopologyReconciler } from './reconciler.ts';
import type { ObservedTopology, Planned } from './seen.ts';

export const face = toFace({
  reconciler: createTopologyReconciler({ callsExtensions: true }),
  asReported: { hooks: hooksThatAgree, nodes: nodesAsReported },
  concerns: cluster => valueAt(cluster.spec, 'topology') !== undefined,
  fromFiles: cluster => {
    const ref = classOf(cluster);
    return ref === undefined ? undefined : { reconciler: 'clusterclass', ref };
  },
  whyOf: whyOfTopology,
  replacedBy,
  conclude: stepsOfTopology,
  laterReplaced: waitingWorkers,
  waitOf: waitOfTopology,
  remediesOf: (cluster, { condition }) => (condition === undefined ? [] : remediesOfTopology(cluster, condition)),
});

function classOf(cluster: Unstructured): ObjectRef | undefined {
  const topology = toRecord(cluster.spec)['topology'];
  const { name, namespace } = readClusterTopology(topology).classRef;
  const { namespace: own = '' } = cluster.metadata;
  const place = { namespace: namespace === '' ? own : namespace };
  return name === '' ? undefined : { apiVersion: clusterApiVersion, kind: 'ClusterClass', name, ...place };
}

/**
 * Returns the remaining steps, the parts in progress, the waiting parts, and the responses of hooks. Empty without an
 * upgrade.
 */
function stepsOfTopology(seen: ObservedTopology): readonly string[] {
  return [...versionLines(seen), ...progressLines(seen), ...hookLines(seen.responses)];
}

/** Workers whose upgrade waits for the control plane or for other workers. A deferred upgrade waits for a user. */
function waitingWorkers({ cluster, upgrade }: ObservedTopology): readonly Replaced[] {
  const { namespace } = cluster.object.metadata;
  const ofKind = (kind: string, progress?: WorkerProgress): readonly Replaced[] =>
    [...(progress?.pendingUpgrade ?? [])]
      .filter(name => progress?.deferredUpgrade.has(name) === false)
      .map(name => ({
        ref: { apiVersion: clusterApiVersion, kind, name, ...withoutUndefined({ namespace }) },
        why: 'its upgrade to another version follows later',
      }));
  const { machineDeployments, machinePools } = upgrade?.versions ?? {};
  return [...ofKind('MachineDeployment', machineDeployments), ...ofKind('MachinePool', machinePools)];
}

function versionLines({ plan }: ObservedTopology): readonly string[] {
  const line = (part: string, versions: readonly string[] = []): readonly string[] =>
    versions.length === 0 ? [] : [`upgrade of ${part}: ${versions.join(', then ')}`];
  return [...line('the control plane', plan?.controlPlane), ...line('the workers', plan?.workers)];
}

function progressLines({ cluster, upgrade, responses }: ObservedTopology): readonly string[] {
  if (upgrade === undefined || !isUpgrading(upgrade.versions)) {
    return [];
  }
  const topologyVersion = readClusterTopology(toRecord(cluster.object.spec)['topology']).version;
  const { message } = upgradeExplanation({ ...upgrade, topologyVersion, responses });
  return message.split('\n');
}

function hookLines(responses: HookResponses): readonly string[] {
  return [...responses].map(([hook, { retryAfterSeconds, message }]) => {
    const suffix = message === '' ? '' : `: ${message.replaceAll('\n', ' ')}`;
    return retryAfterSeconds > 0
      ? `hook ${hook} blocks, and is called again after ${retryAfterSeconds} s${suffix}`
      : `hook ${hook} does not block${suffix}`;
  });
}

/** Records each read of Nodes that would be sent. */
export function nodesAsReported({
  reads,
  ref,
  wouldAsk,
}: Pick<ExplainContext, 'reads' | 'ref' | 'wouldAsk'>): WorkloadNodes {
  return {
    async kubeletVersions(_, nodes) {
      wouldAsk(
        `the workload cluster for the versions of its Nodes: ${nodes.join(', ')}; assumed to run the versions of their MachinePools`,
      );
      const place = withoutUndefined({ namespace: ref.namespace });
      const labels = { [clusterNameLabel]: ref.name };
      const pools = await reads.list({ apiVersion: clusterApiVersion, kind: 'MachinePool', labels, ...place });
      const versions = (pools.ok ? pools.value : []).flatMap(pool =>
        nodesOfPool(pool).map((node): readonly [string, Checked<string>] => [node, valid(workerVersion(pool))]),
      );
      return new Map(versions);
    },
  };
}

/** Returns `undefined` for an unknown action. */
function whyOfTopology(because: ExplainedAction<ObservedTopology>): string | undefined {
  const { action, seen, write } = because;
  if (seen.repairs.length > 0) {
    return 'its managed fields do not list the fields that the topology owns, so server-side apply could not remove them';
  }
  switch (action.id) {
    case bookkeepingId:
      return whyBookkept(write?.body);
    case clusterId:
      return whyCluster(write?.body);
    default:
      return action.do === 'delete' ? whyDeleted(action.ref.kind, action.id) : whyWritten(because);
  }
}

/** The template that a new one replaces. The spec of a template never changes in place. */
function replacedBy({ action, write, seen }: ExplainedAction<ObservedTopology>): Unstructured | undefined {
  if (action.do !== 'apply' || seen.planned === undefined || write?.before !== undefined) {
    return undefined;
  }
  const { kind, metadata } = action.object;
  return templatesOf(seen.planned, topologyNameOf(metadata.labels)).find(
    template => template?.kind === kind && template.metadata.name !== metadata.name,
  );
}

function templatesOf({ current }: Planned, topologyName: string): readonly (Unstructured | undefined)[] {
  const worker = current.machineDeployments.get(topologyName);
  return topologyName === ''
    ? [current.controlPlane.machineTemplate]
    : [worker?.bootstrapTemplate, worker?.infrastructureTemplate];
}

function whyBookkept(body: unknown): string {
  const reasons = [
    ...(valueAt(body, 'spec.topology') === undefined
      ? []
      : ['its ClusterClass has defaults for variables that are not set']),
    ...(valueAt(body, 'metadata.annotations') === undefined
      ? []
      : ['hook responses and pending hooks are recorded before any other write']),
  ];
  return reasons.join('; ');
}

function whyCluster(body: unknown): string {
  const parts = [
    ...(valueAt(body, 'spec.infrastructureRef') === undefined ? [] : ['the reference to its infrastructure']),
    ...(valueAt(body, 'spec.controlPlaneRef') === undefined ? [] : ['the reference to its control plane']),
    ...(valueAt(body, 'metadata.labels') === undefined ? [] : ['the label of managed topologies']),
    ...(valueAt(body, 'metadata.annotations') === undefined ? [] : ['the current step of its upgrade']),
  ];
  return `it lacks the current value of ${parts.join(', ')}`;
}

function whyDeleted(kind: string, id: string): string {
  if (id.startsWith('take back ')) {
    return 'the write of the reference to it failed, and no object references it';
  }
  switch (kind) {
    case 'MachineHealthCheck':
      return 'neither the topology nor the class defines a health check here';
    case 'MachineDeployment':
    case 'MachinePool':
      return `the topology no longer contains this ${kind}`;
    default:
      return 'another object replaces it';
  }
}

function whyWritten({ action, write, changedPaths, seen }: ExplainedAction<ObservedTopology>): string | undefined {
  if (action.do !== 'apply') {
    if (action.id.startsWith('unmark ')) {
      return 'the previous template is deleted, so the annotation that references it is removed';
    }
    return action.do === 'create'
      ? 'it owns the infrastructure and the control plane until the Cluster owns them, so that the deletion of the Cluster also deletes them'
      : undefined;
  }
  const { kind, metadata } = action.object;
  if (write?.before !== undefined) {
    return `the topology sets another value of ${changedPaths.join(', ')}`;
  }
  const replaced = replacedBy({ action, write, changedPaths, seen });
  if (replaced !== undefined) {
    return `the spec of ${kind} ${toDisplayName(replaced.metadata)} must change, and a new template replaces it`;
  }
  const worker = topologyNameOf(metadata.labels) || topologyNameOf(selectedBy(action.object));
  const what = worker === '' ? `the topology has no ${kind} yet` : `workers ${quote(worker)} have no ${kind} yet`;
  return `${what}${originOf(metadata.annotations)}`;
}

function originOf(annotations: Readonly<Record<string, string>> = {}): string {
  const name = annotations[clonedFromNameAnnotation];
  const [kind = ''] = (annotations[clonedFromGroupKindAnnotation] ?? '').split('.');
  return name === undefined ? '' : `; it is cloned from ${kind} ${name} of the class`;
}

/** The selector of a health check selects the workers whose Machines are checked. */
function selectedBy(object: Intent): Readonly<Record<string, string>> {
  const selected = valueAt(object['spec'], 'selector.matchLabels');
  const labels = isJsonObject(selected) ? Object.entries(selected) : [];
  return Object.fromEntries(labels.map(([label, value]) => [label, String(value)]));
}

function topologyNameOf(labels: Readonly<Record<string, string>> = {}): string {
  return labels[deploymentNameLabel] ?? labels[poolNameLabel] ?? '';
}
