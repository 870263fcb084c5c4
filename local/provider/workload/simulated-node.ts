// The machines that are, or should be, Nodes of a simulated workload cluster. Derived from the objects of the management
// cluster and the clock. Pure.
import type { Instant, Unstructured } from '@capi-serverless/apimachinery';
import { controlPlaneLabel } from '../../../shared/api/machine/reader.ts';
import { instancesIn, providerIdOf, toInstances } from '../machines/pool.ts';
import { textAt } from '../machines/read.ts';
import { ordersOf } from '../orders.ts';
import { toInstant } from '../progress.ts';

/** `unreachable`: the kubelet does not report, and ends no Pods. `failing`: it reports that the Node is not ready. */
type KubeletState = 'ready' | 'failing' | 'unreachable';

export interface SimulatedNode {
  readonly name: string;
  /** Two machines of one name have different ids. */
  readonly id: string;
  readonly providerID: string;
  readonly version: string;
  readonly isControlPlane: boolean;
  /** The Node of an instance of a pool is deleted with the instance, as by a cloud provider. */
  readonly isPooled: boolean;
  readonly state: KubeletState;
  readonly message: string;
  /** A volume is attached, and stays attached after a drain. */
  readonly hasVolume: boolean;
}

interface StartingNode {
  readonly startsAt: Instant;
  readonly node: SimulatedNode;
}

/** Objects do not change, so those of earlier calls are not read again. */
const known = new WeakMap<Unstructured, StartingNode | undefined>();
const knownPools = new WeakMap<Unstructured, readonly SimulatedNode[]>();

/**
 * Returns the machines that have started. A kubelet registers its Node once, so it waits for the providerID. The same
 * object has the same Node in each call.
 */
export function nodesOfMachines(machines: readonly Unstructured[], now: Instant): readonly SimulatedNode[] {
  return machines.flatMap(machine => {
    if (!known.has(machine)) {
      known.set(machine, toStartingNode(machine, now));
    }
    const starting = known.get(machine);
    return starting === undefined || starting.startsAt > now ? [] : [starting.node];
  });
}

/** `now` is the start of a machine whose time cannot be read. */
function toStartingNode(machine: Unstructured, now: Instant): StartingNode | undefined {
  const startsAt = textAt(machine, 'status.node.startsAt');
  const providerID = textAt(machine, 'spec.providerID');
  const { name, uid, labels = {} } = machine.metadata;
  const { failNode, loseNode, volume } = ordersOf(machine);
  return startsAt === '' || providerID === ''
    ? undefined
    : {
        startsAt: toInstant(startsAt, now),
        node: {
          name,
          id: uid,
          providerID,
          version: textAt(machine, 'status.node.version'),
          isControlPlane: controlPlaneLabel in labels,
          isPooled: false,
          state: loseNode ? 'unreachable' : failNode === undefined ? 'ready' : 'failing',
          message: failNode ?? '',
          hasVolume: volume,
        },
      };
}

/**
 * Returns one Node for each instance of the SimulatedMachinePools. An upgraded instance keeps its name and gets another
 * Node.
 */
export function nodesOfPools(pools: readonly Unstructured[]): readonly SimulatedNode[] {
  return pools.flatMap(pool => {
    const nodes = knownPools.get(pool) ?? toNodes(pool);
    knownPools.set(pool, nodes);
    return nodes;
  });
}

function toNodes(pool: Unstructured): readonly SimulatedNode[] {
  const { failNode, loseNode } = ordersOf(pool);
  return toInstances(pool.metadata, instancesIn(pool)).map(({ name, version }) => ({
    name,
    id: `${pool.metadata.uid}/${name}/${version}`,
    providerID: providerIdOf(pool, name),
    version,
    isControlPlane: false,
    isPooled: true,
    state: loseNode ? 'unreachable' : failNode === undefined ? 'ready' : 'failing',
    message: failNode ?? '',
    hasVolume: false,
  }));
}
