// Infrastructure machines and bootstrap configs that this MachineSet created and that no Machine references.
import { groupOf, toDisplayName, toRef, type Unstructured } from '@capi-serverless/apimachinery';
import { instantOf } from '@capi-serverless/apimachinery/timestamp';
import { clusterGroup } from '../../../../shared/api/cluster/reader.ts';
import type { WholeMachine } from '../../../../shared/api/machine/whole-machine.ts';
import type { ObjectsRead, ObservedMachineSet } from '../../seen.ts';
import type { MachineSetPhase } from '../pass-progress.ts';
import { timeoutSeconds } from '../time-limit.ts';
import { reservedNamesOf } from './machine-names.ts';

type OrphanFacts = Pick<
  ObservedMachineSet,
  'machineSet' | 'infrastructureMachines' | 'bootstrapConfigs' | 'machines' | 'now'
>;

export interface OrphanPhase extends MachineSetPhase {
  /** The errors of lists that could not be read, and of orphans that could not be deleted. No Machine is created then. */
  readonly needs: readonly { readonly id: string; readonly problem: string }[];
  readonly errors: readonly string[];
}

const prefix = 'failed to sync replicas: failed to cleanup orphaned objects';

/**
 * Another invocation may be about to create the Machine of a young object, or of a reserved name. Its time is limited, so
 * an old object of no reservation gets no Machine.
 */
export function orphanPhase(facts: OrphanFacts): OrphanPhase {
  const lists = [facts.infrastructureMachines, facts.bootstrapConfigs];
  const found = lists
    .flatMap(read => orphansIn(read, facts))
    .map(object => ({ object, waitMs: waitOf(object, facts) }));
  const old = found.filter(({ waitMs }) => waitMs <= 0).map(({ object }) => object);
  const young = found.filter(({ waitMs }) => waitMs > 0).map(({ waitMs }) => waitMs);
  const needs = old.map(object => ({
    id: orphanId(object),
    problem: `${prefix}: failed to delete ${object.kind} ${toDisplayName(object.metadata)}`,
  }));
  const errors = lists.flatMap(read => (read.state === 'failed' ? [`${prefix}: ${read.problem}`] : []));
  return {
    needs,
    errors,
    actions: old.map(object => ({
      id: orphanId(object),
      onError: 'continue',
      do: 'delete',
      ref: toRef(object),
      uid: object.metadata.uid,
      resourceVersion: object.metadata.resourceVersion,
    })),
    steps: [{ change: { errors, requeues: young } }, { change: {}, needs }],
  };
}

function orphanId({ kind, metadata }: Unstructured): string {
  return `orphan:${kind}:${metadata.name}`;
}

function orphansIn(read: ObjectsRead, { machineSet, machines }: OrphanFacts): readonly Unstructured[] {
  if (read.state !== 'listed' || machines.state !== 'listed') {
    return [];
  }
  const reserved = new Set(reservedNamesOf(machineSet));
  const all = [...machines.members.map(({ machine }) => machine), ...machines.adoptable];
  const named = new Set(all.flatMap(referencesOf));
  return read.objects.filter(
    object =>
      object.metadata.deletionTimestamp === undefined &&
      isOwnedBy(object, machineSet.metadata.uid) &&
      !reserved.has(object.metadata.name) &&
      !named.has(keyOf(groupOf(object.apiVersion), object.kind, object.metadata.name)),
  );
}

/** The Machine reconciler replaces this owner reference when it takes over the object. */
export function isOwnedBy({ metadata: { ownerReferences = [] } }: Unstructured, uid: string): boolean {
  return ownerReferences.some(
    owner => owner.kind === 'MachineSet' && groupOf(owner.apiVersion) === clusterGroup && owner.uid === uid,
  );
}

function referencesOf({ spec }: WholeMachine): readonly string[] {
  return [spec.infrastructureRef, spec.bootstrap.configRef].map(({ apiGroup, kind, name }) =>
    keyOf(apiGroup, kind, name),
  );
}

function keyOf(group: string, kind: string, name: string): string {
  return `${group} ${kind} ${name}`;
}

/** No invocation has created an object that is older than the MachineSet. */
function waitOf({ metadata }: Unstructured, { machineSet, now }: OrphanFacts): number {
  const created = instantOf(metadata.creationTimestamp) ?? 0;
  const isOlder = created < (instantOf(machineSet.metadata.creationTimestamp) ?? 0);
  return isOlder ? 0 : created + timeoutSeconds * 1000 - now;
}
