// The output of `why` for a Machine: its tree, and what it waits for. Reads the management cluster only.
import { type Answer, answered, toDisplayName, type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import { clusterApiVersion, isDefined } from '../../../shared/api/cluster/reader.ts';
import { readWholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import { conditionOf, toWhy } from '../../../shared/explain/conditions.ts';
import type { Describing, Description } from '../../../shared/explain/face.ts';
import { type ObjectView, viewObject } from '../../../shared/explain/object-view.ts';
import { readReferred } from '../../../shared/explain/read-referred.ts';
import {
  infrastructurePreference,
  machinePreference,
  type Referred,
  viewReferred,
} from '../../../shared/explain/referred.ts';
import type { ObjectNode } from '../../../shared/explain/tree.ts';
import { explainMachine } from './explain.ts';
import type { MachineSnapshot } from './machine-snapshot.ts';

/** Never fails: an object that cannot be read is shown so. */
export async function describeMachine(
  machine: Unstructured,
  { reads, findOrder }: Describing,
): Promise<Answer<Description>> {
  const { metadata, spec } = readWholeMachine(machine);
  const { namespace } = metadata;
  const read = (ref: typeof spec.infrastructureRef) =>
    readReferred(reads, { namespace }, isDefined(ref) ? ref : undefined);
  const [cluster, bootstrap, infrastructure] = await Promise.all([
    reads.get({ apiVersion: clusterApiVersion, kind: 'Cluster', namespace, name: spec.clusterName }),
    read(spec.bootstrap.configRef),
    read(spec.infrastructureRef),
  ]);
  const snapshot = { machine, cluster: cluster.ok ? cluster.value : undefined, bootstrap, infrastructure };
  return answered({ tree: () => toMachineTree(snapshot), explanation: explainMachine(snapshot, findOrder) });
}

/** The tree of a Machine: its Cluster, the Machine, bootstrap config, infrastructure machine, and Node. */
export function toMachineTree({ machine, cluster, bootstrap, infrastructure }: MachineSnapshot): ObjectNode {
  const { metadata, spec } = readWholeMachine(machine);
  const children = [...referredNodes(bootstrap), ...referredNodes(infrastructure), nodeOf(machine)];
  const ofMachine: ObjectNode = { name: `Machine/${metadata.name}`, ...viewMachine(machine), children };
  const display = toDisplayName({ namespace: metadata.namespace, name: spec.clusterName });
  return cluster === undefined
    ? { name: display, mark: 'missing', detail: 'Cluster cannot be read', children: [ofMachine] }
    : { name: display, ...viewObject(cluster, ['Available']), children: [ofMachine] };
}

function viewMachine(machine: Unstructured): ObjectView {
  const phase = valueAt(machine.status, 'phase');
  const { mark, detail } = viewObject(machine, machinePreference);
  const deleting = conditionOf(machine, 'Deleting');
  const why = mark === 'deleting' && deleting !== undefined ? `${deleting.reason}: ${toWhy(deleting)}` : detail;
  return { mark, detail: [typeof phase === 'string' ? phase : '', why].filter(text => text !== '').join('  ') };
}

function referredNodes(referred: Referred | undefined): readonly ObjectNode[] {
  return referred === undefined
    ? []
    : [
        {
          name: `${referred.kind}/${referred.name}`,
          ...viewReferred(referred, infrastructurePreference),
          children: [],
        },
      ];
}

/** As the Machine reports it. The workload cluster is not read. */
function nodeOf(machine: Unstructured): ObjectNode {
  const { name } = readWholeMachine(machine).status.nodeRef;
  const healthy = conditionOf(machine, 'NodeHealthy');
  const ready = conditionOf(machine, 'NodeReady');
  const condition = ready?.status === 'True' ? healthy : ready;
  const node = { name: name === '' ? 'Node' : `Node/${name}`, children: [] };
  if (condition === undefined || condition.status === 'True') {
    return { ...node, mark: condition === undefined ? 'unknown' : 'ready', detail: '' };
  }
  const detail = `${condition.reason}: ${toWhy(condition)}`;
  return { ...node, mark: name === '' ? 'missing' : 'waiting', detail };
}
