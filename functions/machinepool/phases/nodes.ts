// What a pool writes to the Nodes of its workload cluster: it deletes Nodes of machines that are gone, names itself as
// their owner and removes the taint of new Nodes.
import type { JsonObject, MergePatch, ObjectRef } from '@capi-serverless/apimachinery';
import { type Action, haveSucceeded, type NeededWrite, type WorkloadTarget } from '@capi-serverless/reconciler';
import type { WholeMachinePool } from '../../../shared/api/machine-pool/whole-machine-pool.ts';
import { ownerAnnotations, type PoolNode } from '../../../shared/api/node/pool-reader.ts';
import type { NodeTaint } from '../../../shared/api/node/reader.ts';
import { uninitializedTaint } from '../../../shared/api/node/uninitialized.ts';
import type { NodeReference } from './pool-progress.ts';

export interface NodeWrites {
  readonly actions: readonly Action[];
  readonly needs: readonly NeededWrite[];
}

interface Retiring {
  readonly pool: WholeMachinePool;
  /** The ids of the machines that exist. */
  readonly ids: readonly string[];
  readonly nodes: readonly PoolNode[];
  readonly target: WorkloadTarget;
  /** The prefix of errors. */
  readonly prefix: string;
}

/** The Nodes that the pool names, and whose machine is gone. The first failure ends the deletions. */
export function deleteRetiredNodes({ pool, ids, nodes, target, prefix }: Retiring): NodeWrites {
  const byName = new Map(nodes.map(node => [node.name, node]));
  const names = new Set(pool.status.nodeRefs.map(({ name }) => name));
  const retired = [...names].flatMap(name => {
    const node = byName.get(name);
    return node === undefined || node.providerID === '' || ids.includes(node.providerID) ? [] : [node];
  });
  const problem = `${prefix}: failed to delete Node`;
  return inTurn(
    retired.map(node => ({
      problem,
      action: {
        id: `node:delete:${node.name}`,
        onError: 'continue',
        do: 'delete',
        ref: toNode(node.name),
        uid: node.uid,
        target,
      },
    })),
  );
}

interface Marking {
  readonly pool: WholeMachinePool;
  readonly nodes: readonly PoolNode[];
  readonly target: WorkloadTarget;
  readonly prefix: string;
}

/** A Node that is as wanted is not written. The first failure ends the writes. */
export function markNodes({ pool, nodes, target, prefix }: Marking): NodeWrites {
  return inTurn(
    nodes.flatMap(node => {
      const taints = node.taints.filter(taint => !isUninitialized(taint));
      const hasTaint = taints.length < node.taints.length;
      const body = patchOf(node, pool, hasTaint ? taints : undefined);
      return body === undefined
        ? []
        : [
            {
              problem: `${prefix}: failed to patch Node ${node.name}`,
              action: {
                id: `node:mark:${node.name}`,
                onError: 'continue' as const,
                do: 'patch' as const,
                ref: toNode(node.name),
                body,
                // The list of taints is valid only for the version that was read.
                ...(hasTaint ? { resourceVersion: node.resourceVersion } : {}),
                target,
              },
            },
          ];
    }),
  );
}

function patchOf(
  node: PoolNode,
  { metadata, spec }: WholeMachinePool,
  taints: readonly NodeTaint[] | undefined,
): MergePatch | undefined {
  const wanted = {
    [ownerAnnotations.clusterName]: spec.clusterName,
    [ownerAnnotations.clusterNamespace]: metadata.namespace,
    [ownerAnnotations.ownerKind]: 'MachinePool',
    [ownerAnnotations.ownerName]: metadata.name,
  };
  const annotations = Object.fromEntries(
    Object.entries(wanted).filter(([key, value]) => node.annotations[key] !== value),
  );
  const hasAnnotations = Object.keys(annotations).length > 0;
  return hasAnnotations || taints !== undefined
    ? {
        ...(hasAnnotations ? { metadata: { annotations } } : {}),
        ...(taints === undefined ? {} : { spec: { taints: toStored(taints) } }),
      }
    : undefined;
}

function isUninitialized({ key, effect }: NodeTaint): boolean {
  return key === uninitializedTaint.key && effect === uninitializedTaint.effect;
}

/** An empty list is removed. The API server stores no empty value of a taint. */
function toStored(taints: readonly NodeTaint[]): readonly JsonObject[] | null {
  return taints.length === 0 ? null : taints.map(({ value, ...taint }) => (value === '' ? taint : { ...taint, value }));
}

function toNode(name: string): ObjectRef {
  return { apiVersion: 'v1', kind: 'Node', name };
}

/** Each write is sent only if all before it succeeded. */
function inTurn(writes: readonly { readonly action: Action; readonly problem: string }[]): NodeWrites {
  const needs = writes.map(({ action, problem }): NeededWrite => ({ id: action.id, problem }));
  return {
    actions: writes.map(({ action }, at) => ({
      ...action,
      when: outcomes => haveSucceeded(needs.slice(0, at), outcomes),
    })),
    needs,
  };
}

/** The Nodes of the machines with these ids, in the order of the ids. */
export function matchNodes(ids: readonly string[], byId: ReadonlyMap<string, PoolNode>): readonly PoolNode[] {
  return ids.flatMap(id => (id === '' ? [] : (byId.get(id) ?? [])));
}

export function toReference({ name, uid }: PoolNode): NodeReference {
  return { name, uid };
}
