// The counters in the status of a MachinePool, and its versions. Pure.
import { isTrue } from '@capi-serverless/cluster-api/conditions';
import { isDeleting } from '@capi-serverless/reconciler';
import type { WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import type { WholeMachinePool } from '../../../shared/api/machine-pool/whole-machine-pool.ts';
import { countVersions, versionsOfMachines } from '../../../shared/machine-collections/machine-versions.ts';
import type { PoolNodesRead } from '../seen.ts';
import type { NodeReference, PoolCounters } from './pool-progress.ts';

/** A pool whose provider reports its Machines counts them by their conditions. */
export function countMembers(machines: readonly WholeMachine[]): PoolCounters {
  const having = (type: string): number => machines.filter(({ status }) => isTrue(status.conditions, type)).length;
  return {
    readyReplicas: having('Ready'),
    availableReplicas: having('Available'),
    upToDateReplicas: having('UpToDate'),
    versions: countVersions(versionsOfMachines(machines)),
  };
}

interface Counting {
  readonly replicas: number | undefined;
  readonly nodeRefs: readonly NodeReference[];
  readonly nodes: PoolNodesRead;
}

/** Without Machines, each replica counts as ready and available, as in upstream. */
export function countReplicas({ spec }: WholeMachinePool, { replicas, nodeRefs, nodes }: Counting): PoolCounters {
  return {
    readyReplicas: replicas,
    availableReplicas: replicas,
    upToDateReplicas: spec.replicas,
    versions: nodes.state === 'listed' ? versionsOfNodes(nodeRefs, nodes.nodes) : 'kept',
  };
}

function versionsOfNodes(
  nodeRefs: readonly NodeReference[],
  nodes: Extract<PoolNodesRead, { state: 'listed' }>['nodes'],
): PoolCounters['versions'] {
  const byName = new Map(nodes.map(node => [node.name, node.kubeletVersion]));
  const versions = nodeRefs.map(({ name }) => byName.get(name) ?? '').filter(version => version !== '');
  return countVersions(versions.map(version => ({ version, replicas: 1 })));
}

/** The phase in the status. */
export function phaseOf(
  pool: WholeMachinePool,
  after: {
    readonly infrastructureProvisioned: boolean | undefined;
    readonly bootstrapDataSecretCreated: boolean | undefined;
    readonly nodeRefs: readonly NodeReference[];
    readonly readyReplicas: number;
  },
): string {
  if (isDeleting(pool)) {
    return 'Deleting';
  }
  const { replicas } = pool.spec;
  if (after.infrastructureProvisioned === true && replicas !== undefined) {
    return replicas === after.readyReplicas ? 'Running' : scalingPhase(pool, replicas > after.readyReplicas);
  }
  if (after.nodeRefs.length > 0) {
    return 'Provisioned';
  }
  const { phase } = pool.status;
  const isProvisioning = after.bootstrapDataSecretCreated === true && after.infrastructureProvisioned !== true;
  return isProvisioning ? 'Provisioning' : phase || 'Pending';
}

const externallyScaled = 'cluster.x-k8s.io/replicas-managed-by';

function scalingPhase({ metadata }: WholeMachinePool, isGrowing: boolean): string {
  const by = metadata.annotations[externallyScaled];
  if (by !== undefined && by !== 'false') {
    return 'Scaling';
  }
  return isGrowing ? 'ScalingUp' : 'ScalingDown';
}
