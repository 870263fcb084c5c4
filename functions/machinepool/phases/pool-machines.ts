// The Machines of a pool whose provider represents each machine by an object: one Machine for each of these objects, and
// their condition UpToDate.
import { groupOf, type Instant, type Intent, toDisplayName, type Unstructured } from '@capi-serverless/apimachinery';
import { setCondition } from '@capi-serverless/cluster-api/conditions';
import { clusterNameLabel, readProviderId, toNameLabelValue, valueOr } from '@capi-serverless/cluster-api/contract';
import { type Action, isDeleting, type NeededWrite, type Outcomes } from '@capi-serverless/reconciler';
import { clusterApiVersion } from '../../../shared/api/cluster/reader.ts';
import { poolNameLabel } from '../../../shared/api/machine/reader.ts';
import { readWholeMachine, type WholeMachine } from '../../../shared/api/machine/whole-machine.ts';
import type { WholeMachinePool } from '../../../shared/api/machine-pool/whole-machine-pool.ts';
import type { PoolNode } from '../../../shared/api/node/pool-reader.ts';
import { controllerUid } from '../../../shared/machine-collections/controller-uid.ts';
import { appliesWithoutChange } from '../../../shared/server-side-apply/certain.ts';
import type { ObservedPool, PoolMembersRead } from '../seen.ts';
import { phaseProblems, poolOwner } from './externals.ts';
import type { PoolPhase } from './pool-progress.ts';

/** The field manager of the Machines of pools. */
const poolManager = 'machinepool-controller';

/** The labels of the objects and of the Machines of the pool. */
export function memberLabels({ metadata, spec }: WholeMachinePool): Readonly<Record<string, string>> {
  return { [poolNameLabel]: toNameLabelValue(metadata.name), [clusterNameLabel]: spec.clusterName };
}

export interface MembersPhase extends PoolPhase {
  /** The Machines of the pool after the pass. `undefined`: the pool has none by its provider. */
  readonly machinesAfter: (outcomes: Outcomes) => readonly WholeMachine[] | undefined;
}

type Listed = Extract<PoolMembersRead, { state: 'listed' }>;

/** A Machine that the pass applies, or that exists. */
interface Member {
  readonly name: string;
  /** `undefined` for a Machine that this pass creates. */
  readonly machine: WholeMachine | undefined;
  readonly apply: Action | undefined;
  readonly problem: string;
}

export function membersPhase(seen: ObservedPool, now: Instant): MembersPhase {
  const { members } = seen;
  if (members.state !== 'listed') {
    return { actions: [], steps: [], machinesAfter: () => (members.state === 'none' ? undefined : []) };
  }
  const all = membersOf(seen, members);
  const applies = all.flatMap(({ apply, problem }) => (apply === undefined ? [] : [{ apply, problem }]));
  const updates = all.map(member => upToDate(member, seen.pool, now));
  return {
    actions: [...applies.map(({ apply }) => apply), ...updates.map(({ action }) => action)],
    steps: [
      { change: {}, needs: applies.map(({ apply, problem }): NeededWrite => ({ id: apply.id, problem })) },
      { change: {}, needs: updates.map(({ needed }) => needed) },
    ],
    machinesAfter: outcomes =>
      all.flatMap(member => machineAfter(member, outcomes) ?? []).filter(machine => isOfPool(machine, seen.pool)),
  };
}

function membersOf({ pool, nodes }: ObservedPool, { infraMachines, machines }: Listed): readonly Member[] {
  const known = nodes.state === 'listed' ? byProviderId(nodes.nodes) : undefined;
  const prefix = `${phaseProblems.infrastructure}: failed to reconcile Machines for MachinePool ${toDisplayName(pool.metadata)}: failed to create machines for MachinePool "${pool.metadata.name}" in namespace "${pool.metadata.namespace}"`;
  const paired = infraMachines.map((object): Member => {
    const sharing = machines.filter(({ spec }) => spec.infrastructureRef.name === object.metadata.name);
    const machine = sharing.find(each => isOfPool(each, pool)) ?? sharing[0];
    const name = machine?.metadata.name ?? object.metadata.name;
    const cause =
      machine === undefined
        ? `failed to create new Machine for infraMachine "${object.metadata.name}" in namespace "${pool.metadata.namespace}"`
        : `failed to update Machine "${toDisplayName(machine.metadata)}"`;
    const version = known?.get(valueOr(readProviderId(object), ''))?.kubeletVersion;
    const intent = machineOf(object, { pool, machine, version });
    // Without the Nodes, an apply would remove the versions of the Machines.
    const isNeeded =
      machine === undefined
        ? true
        : known !== undefined && appliesWithoutChange(intent, machine.object, poolManager) !== 'certain';
    return {
      name,
      machine,
      apply: isNeeded ? toApply(intent, machine) : undefined,
      problem: `${prefix}: ${cause}: failed to apply Machine`,
    };
  });
  const named = new Set(paired.map(({ name }) => name));
  const others = machines
    .filter(({ metadata }) => !named.has(metadata.name))
    .map((machine): Member => ({ name: machine.metadata.name, machine, apply: undefined, problem: '' }));
  // A Machine of another controller is no member, but an apply to it tells the user about the conflict.
  return [...paired, ...others.filter(({ machine }) => machine !== undefined && isOfPool(machine, pool))];
}

/** Of several Nodes with one providerID, the last one counts. */
export function byProviderId(nodes: readonly PoolNode[]): ReadonlyMap<string, PoolNode> {
  return new Map(nodes.filter(({ providerID }) => providerID !== '').map(node => [node.providerID, node]));
}

/** A Machine without controller belongs to the pool by its labels. */
function isOfPool({ metadata }: WholeMachine, pool: WholeMachinePool): boolean {
  const uid = controllerUid(metadata);
  return uid === undefined || uid === pool.metadata.uid;
}

interface Describing {
  readonly pool: WholeMachinePool;
  readonly machine: WholeMachine | undefined;
  readonly version: string | undefined;
}

/** The uid of an existing Machine is included, so that a Machine that was deleted meanwhile is not created again. */
function machineOf(object: Unstructured, { pool, machine, version }: Describing): Intent {
  const { labels, annotations } = pool.spec.template.metadata;
  return {
    apiVersion: clusterApiVersion,
    kind: 'Machine',
    metadata: {
      name: machine?.metadata.name ?? object.metadata.name,
      namespace: pool.metadata.namespace,
      ...(machine === undefined ? {} : { uid: machine.metadata.uid }),
      labels: { ...labels, ...memberLabels(pool) },
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      ownerReferences: [poolOwner(pool)],
    },
    spec: {
      clusterName: pool.spec.clusterName,
      bootstrap: { dataSecretName: '' },
      infrastructureRef: { apiGroup: groupOf(object.apiVersion), kind: object.kind, name: object.metadata.name },
      ...(version === undefined || version === '' ? {} : { version }),
    },
  };
}

function applyId(name: string): string {
  return `machine:apply:${name}`;
}

function toApply(intent: Intent, machine: WholeMachine | undefined): Action {
  const { name } = intent.metadata;
  return {
    id: applyId(String(name)),
    onError: 'continue',
    do: 'apply',
    object: intent,
    manager: poolManager,
    uid: machine?.metadata.uid,
  };
}

function updateId(name: string): string {
  return `machine:up-to-date:${name}`;
}

/** The Machine after its apply. `undefined` if the apply of a new Machine failed. */
function appliedMachine({ name, machine }: Member, outcomes: Outcomes): WholeMachine | undefined {
  const outcome = outcomes.get(applyId(name));
  return outcome?.state === 'done' && outcome.object !== undefined ? readWholeMachine(outcome.object) : machine;
}

function machineAfter(member: Member, outcomes: Outcomes): WholeMachine | undefined {
  const outcome = outcomes.get(updateId(member.name));
  return outcome?.state === 'done' && outcome.object !== undefined
    ? readWholeMachine(outcome.object)
    : appliedMachine(member, outcomes);
}

/** A Machine in deletion is not up to date. */
function upToDate(
  member: Member,
  pool: WholeMachinePool,
  now: Instant,
): { readonly action: Action; readonly needed: NeededWrite } {
  const { name } = member;
  const { namespace } = pool.metadata;
  const id = updateId(name);
  const bodyOf = (outcomes: Outcomes) => {
    const machine = appliedMachine(member, outcomes);
    if (machine === undefined || !isOfPool(machine, pool)) {
      return undefined;
    }
    const { generation } = machine.metadata;
    const conditions = setCondition(machine.status.conditions, draftOf(machine), { generation, now });
    return conditions === machine.status.conditions ? undefined : { status: { conditions } };
  };
  return {
    action: {
      id,
      onError: 'continue',
      do: 'patch',
      ref: { apiVersion: clusterApiVersion, kind: 'Machine', namespace, name },
      subresource: 'status',
      body: outcomes => bodyOf(outcomes) ?? {},
      when: outcomes => bodyOf(outcomes) !== undefined,
      resourceVersion: outcomes => appliedMachine(member, outcomes)?.metadata.resourceVersion ?? '',
    },
    needed: {
      id,
      problem: `failed to set machines up to date: failed to patch Machine ${toDisplayName({ namespace, name })}`,
    },
  };
}

function draftOf(machine: WholeMachine) {
  const type = 'UpToDate';
  return isDeleting(machine)
    ? ({ type, status: 'False', reason: 'NotUpToDate', message: 'Machine is being deleted' } as const)
    : ({ type, status: 'True', reason: 'UpToDate' } as const);
}
