// Starts in-place updates: the objects of a Machine and the Machine itself get the content of the template, then the hook
// UpdateMachine becomes pending.
import {
  type Checked,
  type Intent,
  type OwnerReference,
  toDisplayName,
  toRef,
  type Unstructured,
  withoutUndefined,
} from '@capi-serverless/apimachinery';
import { type Action, type EventDraft, haveSucceeded, type Outcomes } from '@capi-serverless/reconciler';
import type { WholeMachine } from '../../../../shared/api/machine/whole-machine.ts';
import type { WholeMachineSet } from '../../../../shared/api/machine-set/whole-machine-set.ts';
import {
  acknowledgedMoveAnnotation,
  pendingAcknowledgeMoveAnnotation,
  receiveMachinesAnnotation,
  updateInProgressAnnotation,
} from '../../../../shared/machine-collections/keys.ts';
import { updateMachine } from '../../../../shared/runtime-hooks/rules/catalog.ts';
import { isPending, markPending } from '../../../../shared/runtime-hooks/rules/pending-hooks.ts';
import { appliesWithoutChange } from '../../../../shared/server-side-apply/certain.ts';
import { clonedFromGroupKindAnnotation, clonedFromNameAnnotation } from '../../../../shared/topology/model/keys.ts';
import type { MachineMember, ObjectRead } from '../../seen.ts';
import type { MachineSetPhase } from '../pass-progress.ts';
import { existingMachine, type MemberMetadata } from '../propagation/existing-machine.ts';
import { machineSetManager } from '../propagation/field-migration.ts';

export interface StartUpdateFacts {
  readonly machineSet: WholeMachineSet;
  /** The Machines that the set controls. */
  readonly members: readonly MachineMember[];
  readonly metadata: MemberMetadata;
  /** The objects of a new Machine with this name, computed from the templates. */
  readonly cloneInfrastructure: (name: string) => Checked<Intent>;
  readonly cloneBootstrap: (name: string) => Checked<Intent>;
  /** The names of the Machines that an earlier phase of this pass writes. They start in the next pass. */
  readonly written: ReadonlySet<string>;
}

const prefix = 'failed to trigger in-place update';

export function startUpdatePhase(facts: StartUpdateFacts): MachineSetPhase {
  const { machineSet, members, written } = facts;
  const starting = members.filter(({ machine }) => startsUpdate(machine, machineSet));
  const ready = starting.filter(({ machine }) => !written.has(machine.metadata.name));
  const parts = ready.map(member => startOne(member, facts));
  const needs = parts.flatMap(part => part.needs);
  const errors = parts.flatMap(part => (part.error === undefined ? [] : [`${prefix}: ${part.error}`]));
  return {
    actions: parts.flatMap(part => part.actions),
    steps: [
      { change: {}, needs },
      {
        change: {
          errors,
          ...(ready.length < starting.length ? { again: true as const } : {}),
        },
      },
    ],
  };
}

interface StartedMachine {
  readonly actions: readonly Action[];
  readonly needs: readonly { readonly id: string; readonly problem: string }[];
  readonly error?: string;
}

/** Infrastructure first, because its immutable fields fail most often. Each prefix is safe to repeat. */
function startOne({ machine, infrastructure, bootstrap }: MachineMember, facts: StartUpdateFacts): StartedMachine {
  const { machineSet, metadata } = facts;
  const { name } = machine.metadata;
  const infra = updatedObject(infrastructure, 'InfraMachine', { machine, metadata, clone: facts.cloneInfrastructure });
  const config = updatedObject(bootstrap, 'BootstrapConfig', { machine, metadata, clone: facts.cloneBootstrap });
  if (!infra.ok) {
    return { actions: [], needs: [], error: infra.error };
  }
  if (!config.ok) {
    return { actions: [], needs: [], error: config.error };
  }
  const updated = { live: machine.object, intent: updatedMachine(machine, machineSet, metadata) };
  const changes = [...infra.value, ...config.value, updated].filter(
    ({ live, intent }) => appliesWithoutChange(intent, live, machineSetManager) !== 'certain',
  );
  const problem = `${prefix}: failed to complete triggering in-place update for Machine ${toDisplayName(machine.metadata)}`;
  const applies = changes.map(({ live, intent }) => ({
    need: { id: `start:${name}:${live.kind}`, problem: `${problem}: failed to apply ${live.kind}` },
    live,
    intent,
  }));
  const needs = applies.map(({ need }) => need);
  const after = (at: number) => (outcomes: Outcomes) => haveSucceeded(needs.slice(0, at), outcomes);
  return {
    actions: [
      ...applies.map(
        ({ need, live, intent }, at): Action => ({
          id: need.id,
          onError: 'continue',
          do: 'apply',
          when: after(at),
          object: intent,
          manager: machineSetManager,
          uid: live.metadata.uid,
        }),
      ),
      { ...markStarted(machine), when: after(needs.length) },
    ],
    needs: [...needs, { id: `start:${name}`, problem }],
  };
}

/** An update in place also changes the version and the failure domain. */
function updatedMachine(machine: WholeMachine, machineSet: WholeMachineSet, metadata: MemberMetadata): Intent {
  const intent = existingMachine(machine, machineSet, metadata);
  const { version: _, failureDomain: _domain, ...kept } = { ...(intent['spec'] as Record<string, unknown>) }; // true: the intent has a spec
  const { version, failureDomain } = machineSet.machineSpec;
  return {
    ...intent,
    spec: {
      ...kept,
      ...withoutUndefined({ version, failureDomain }),
    },
  };
}

interface UpdatedObject {
  readonly live: Unstructured;
  readonly intent: Intent;
}

interface Update {
  readonly machine: WholeMachine;
  readonly metadata: MemberMetadata;
  readonly clone: (name: string) => Checked<Intent>;
}

/** Returns no object if the Machine references none. */
function updatedObject(
  read: ObjectRead,
  title: string,
  { machine, metadata, clone }: Update,
): Checked<readonly UpdatedObject[]> {
  if (read.state === 'undefined') {
    return { ok: true, value: [] };
  }
  if (read.state === 'failed') {
    const place = toDisplayName({ namespace: machine.metadata.namespace, name: read.ref.name });
    return { ok: false, error: `failed to get ${title} ${place}: ${read.problem}` };
  }
  const { object } = read;
  const cloned = clone(object.metadata.name);
  return cloned.ok
    ? { ok: true, value: [{ live: object, intent: markedObject(cloned.value, object, metadata.owner) }] }
    : { ok: false, error: `could not compute desired ${title}: failed to compute desired ${title}: ${cloned.error}` };
}

/** The propagation owns labels and other annotations. The Machine owns the object once it has found it. */
function markedObject(clone: Intent, live: Unstructured, controller: OwnerReference): Intent {
  const { uid, resourceVersion, ownerReferences = [] } = live.metadata;
  const { name, namespace, annotations = {} } = clone.metadata;
  const { controller: _, blockOwnerDeletion: _block, ...owner } = controller;
  const origin = [clonedFromNameAnnotation, clonedFromGroupKindAnnotation].map(key => [key, annotations[key]]);
  return {
    ...clone,
    metadata: {
      ...(namespace === undefined ? { name } : { name, namespace }),
      uid,
      resourceVersion,
      annotations: { ...Object.fromEntries(origin), [updateInProgressAnnotation]: '' },
      ...(ownerReferences.some(({ kind }) => kind === 'Machine') ? {} : { ownerReferences: [owner] }),
    },
  };
}

function markStarted(machine: WholeMachine): Action {
  const { annotations, name, resourceVersion } = machine.metadata;
  const event: EventDraft = {
    type: 'Normal',
    reason: 'SuccessfulStartInPlaceUpdate',
    message: 'Machine starting in-place update',
    about: machine.object,
  };
  return {
    id: `start:${name}`,
    onError: 'continue',
    do: 'patch',
    ref: toRef(machine.object),
    body: {
      metadata: {
        annotations: {
          ...(pendingAcknowledgeMoveAnnotation in annotations ? { [pendingAcknowledgeMoveAnnotation]: null } : {}),
          ...markPending(annotations, [updateMachine]),
        },
      },
    },
    resourceVersion: outcomes => {
      const outcome = outcomes.get(`start:${name}:Machine`);
      return (outcome?.state === 'done' ? outcome.object?.metadata.resourceVersion : undefined) ?? resourceVersion;
    },
    toEvent: () => event,
  };
}

/**
 * A moved Machine waits until the replicas include it. If no MachineSet hands Machines over any more, it does not wait: it
 * is a surplus Machine like any other.
 */
export function startsUpdate({ metadata }: WholeMachine, { metadata: set }: WholeMachineSet): boolean {
  const { annotations, name } = metadata;
  if (!(updateInProgressAnnotation in annotations) || isPending(annotations, updateMachine)) {
    return false;
  }
  const receives = (set.annotations[receiveMachinesAnnotation] ?? '') !== '';
  const acknowledged = (set.annotations[acknowledgedMoveAnnotation] ?? '').split(',');
  return !(pendingAcknowledgeMoveAnnotation in annotations) || !receives || acknowledged.includes(name);
}
