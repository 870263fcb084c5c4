// The final state of a run, without values that differ between runs.

import { compareText, isJsonObject, type Unstructured } from '@capi-serverless/apimachinery';
import type { ApiCore } from '@capi-serverless/apiserver/core';
import { normalise } from '../../support/normalise.ts';
import type { System } from '../system/system.ts';
import type { Monitor } from './monitor.ts';
import { withoutGenerations } from './references.ts';
import { isResyncState } from './resync-state.ts';

export interface EndState {
  /** The objects as text, by kind and name. */
  readonly objects: Readonly<Record<string, string>>;
  /** The numbers of creations and deletions of each object. */
  readonly changes: Readonly<Record<string, number>>;
}

export function toEndState({ api, workloads }: System, { changes, references }: Monitor): EndState {
  const objects = [...api.objects()].filter(([, object]) => object.kind !== 'Event' && !isResyncState(object));
  const names = new Map(objects.map(([name, { metadata }]) => [metadata.uid, name]));
  return {
    objects: Object.fromEntries([
      ...objects.map(([name, object]) => {
        const compared = withoutGenerations(object, generationsOf(object, references));
        return [name, JSON.stringify(normalise(settled(sorted(named(compared, names)))))] as const;
      }),
      ...objects
        .filter(([, { kind }]) => kind === 'Cluster')
        .flatMap(([name, { metadata }]) => membersOf(name, workloads.coreOf(metadata.uid))),
    ]),
    changes: Object.fromEntries(changes),
  };
}

/**
 * The generations that depend on timing. A pool and its infrastructure are written once for each number of instances that
 * a pass sees, so their generations are compared with those that their statuses observed.
 */
function generationsOf({ kind, metadata }: Unstructured, references: Monitor['references']): number {
  return kind.endsWith('MachinePool') ? (metadata.generation ?? 0) : references.generationsOf(metadata);
}

/** The Nodes, Pods and ConfigMaps of a workload cluster. The product writes no owners of Pods, whose uids differ between runs. */
function membersOf(cluster: string, core: ApiCore): readonly (readonly [string, string])[] {
  return ['Node', 'Pod', 'ConfigMap'].flatMap(kind =>
    core.list(core.registry.endpointOfKind('v1', kind), {}).items.map(({ metadata, ...object }) => {
      const { ownerReferences: _, ...compared } = metadata;
      const text = JSON.stringify(normalise({ ...object, metadata: compared }));
      return [`${cluster} ${kind}/${metadata.namespace ?? ''}/${metadata.name}`, text] as const;
    }),
  );
}

/** Owners are compared by name. A missing owner, or another object with the same name, is a difference. */
function named(object: Unstructured, names: ReadonlyMap<string, string>): Unstructured {
  const { ownerReferences } = object.metadata;
  if (ownerReferences === undefined) {
    return object;
  }
  const compared = ownerReferences.map(owner => ({
    ...owner,
    refersTo: names.get(owner.uid) ?? 'nothing that exists',
  }));
  return { ...object, metadata: { ...object.metadata, ownerReferences: compared } };
}

/** The order of finalizers and conditions does not matter. */
function sorted(object: Unstructured): Unstructured {
  const { metadata, status } = object;
  const { finalizers = [] } = metadata;
  const conditions: unknown = isJsonObject(status) ? status['conditions'] : undefined;
  return {
    ...object,
    metadata: { ...metadata, finalizers: finalizers.toSorted() },
    ...(isJsonObject(status) && Array.isArray(conditions)
      ? { status: { ...status, conditions: conditions.toSorted((a, b) => compareText(typeOf(a), typeOf(b))) } }
      : {}),
  };
}

function typeOf(condition: unknown): string {
  return isJsonObject(condition) ? String(condition['type']) : '';
}

/**
 * The probe condition of a Cluster that was never connected keeps the generation of its first probe. As in upstream,
 * the condition of an initialized control plane keeps the generation of the pass that set it. Both depend on timing.
 */
const keepGeneration: readonly unknown[] = ['RemoteConnectionProbe', 'ControlPlaneInitialized'];

function settled(object: Unstructured): Unstructured {
  const { status } = object;
  const conditions: unknown = isJsonObject(status) ? status['conditions'] : undefined;
  if (object.kind !== 'Cluster' || !isJsonObject(status) || !Array.isArray(conditions)) {
    return object;
  }
  const compared = conditions.map((each: unknown) =>
    isJsonObject(each) && keepGeneration.includes(each['type']) ? { ...each, observedGeneration: undefined } : each,
  );
  return { ...object, status: { ...status, conditions: compared } };
}
