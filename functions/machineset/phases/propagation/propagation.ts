// Brings labels, annotations and in-place fields of the template to existing Machines and their objects. A settled Machine
// causes no write.
import { type Intent, toDisplayName, toRef, type Unstructured } from '@capi-serverless/apimachinery';
import { type Action, haveSucceeded, type Outcomes } from '@capi-serverless/reconciler';
import type { WholeMachineSet } from '../../../../shared/api/machine-set/whole-machine-set.ts';
import { appliesWithoutChange } from '../../../../shared/server-side-apply/certain.ts';
import { type ManagedFieldsRepair, repairManagedFields } from '../../../../shared/server-side-apply/managed-fields.ts';
import type { MachineMember, ObjectRead } from '../../seen.ts';
import type { MachineSetPhase } from '../pass-progress.ts';
import { deletingMachinePatch, existingMachine, type MemberMetadata, objectMetadata } from './existing-machine.ts';
import { machineSetManager, metadataManager, migrateManagedFields } from './field-migration.ts';

const repairedRequeueMs = 1000;
const prefix = 'failed to sync Machines';

export interface PropagationFacts {
  readonly machineSet: WholeMachineSet;
  /** The Machines that the set controls, in the order of the list. */
  readonly members: readonly MachineMember[];
  readonly metadata: MemberMetadata;
  /** The names of the Machines that an earlier phase of this pass writes. */
  readonly written: ReadonlySet<string>;
}

export interface PropagationPhase extends MachineSetPhase {
  /** Whether lost managed fields are repaired. Then no later phase runs in this pass. */
  readonly endsPass: boolean;
  /** The names of the Machines that this phase or an earlier one writes. */
  readonly written: ReadonlySet<string>;
}

/** One step of the phase, in order. The first error ends the phase. Repairs are made alone. */
type Step =
  | {
      readonly kind: 'write' | 'repair' | 'migration';
      readonly machine: string;
      readonly action: Action;
      readonly problem: string | undefined;
    }
  | { readonly kind: 'error'; readonly error: string };

export function propagationPhase({ machineSet, members, metadata, written }: PropagationFacts): PropagationPhase {
  const steps = untilError(
    members
      .filter(({ machine }) => !written.has(machine.metadata.name))
      .flatMap(member => stepsOf(member, machineSet, metadata)),
  );
  const writes = steps.flatMap(step => (step.kind === 'error' ? [] : [step]));
  const repairs = writes.filter(({ kind }) => kind === 'repair');
  const endsPass = repairs.length > 0;
  const made = endsPass ? repairs : writes;
  const needs = made.map(({ action, problem }) => ({ id: action.id, problem: withPrefix(problem) }));
  const actions = made.map(({ action }, at) => ({
    ...action,
    when: (outcomes: Outcomes) => haveSucceeded(needs.slice(0, at), outcomes),
  }));
  const errors = steps.flatMap(step => (step.kind === 'error' ? [`${prefix}: ${step.error}`] : []));
  const isMigrated = made.some(({ kind }) => kind === 'migration');
  return {
    endsPass,
    written: new Set([...written, ...made.map(({ machine }) => machine)]),
    actions,
    steps: [
      { change: {}, needs },
      {
        change: {
          errors,
          ...(endsPass ? { requeues: [repairedRequeueMs] } : {}),
          ...(isMigrated ? { again: true as const } : {}),
        },
      },
    ],
  };
}

function untilError(steps: readonly Step[]): readonly Step[] {
  const at = steps.findIndex(({ kind }) => kind === 'error');
  return at < 0 ? steps : steps.slice(0, at + 1);
}

function withPrefix(problem: string | undefined): string {
  return problem === undefined ? prefix : `${prefix}: ${problem}`;
}

function stepsOf(member: MachineMember, machineSet: WholeMachineSet, metadata: MemberMetadata): readonly Step[] {
  const { machine } = member;
  const { name, namespace } = machine.metadata;
  const id = `sync:${name}`;
  const update = `failed to update Machine "${toDisplayName(machine.metadata)}"`;
  if (machine.metadata.deletionTimestamp !== undefined) {
    const body = deletingMachinePatch(machine, machineSet);
    const { resourceVersion } = machine.metadata;
    const action: Action = {
      id,
      onError: 'continue',
      do: 'patch',
      ref: toRef(machine.object),
      body: body ?? {},
      resourceVersion,
    };
    return body === undefined ? [] : [{ kind: 'write', machine: name, action, problem: update }];
  }
  const repair = repairManagedFields(machine.object, machineSetManager);
  const intent = existingMachine(machine, machineSet, metadata);
  return [
    ...(repair === undefined
      ? applyStep(intent, machine.object, {
          id,
          manager: machineSetManager,
          machine: name,
          problem: `${update}: failed to apply Machine`,
        })
      : [repairStep('repair', repair, { id, machine: name, problem: undefined })]),
    ...objectSteps(member.infrastructure, { title: 'InfrastructureMachine', machine: name, namespace, metadata }),
    ...objectSteps(member.bootstrap, { title: 'BootstrapConfig', machine: name, namespace, metadata }),
  ];
}

interface MemberObject {
  readonly title: 'InfrastructureMachine' | 'BootstrapConfig';
  readonly machine: string;
  readonly namespace: string;
  readonly metadata: MemberMetadata;
}

function objectSteps(read: ObjectRead, { title, machine, namespace, metadata }: MemberObject): readonly Step[] {
  if (read.state === 'undefined') {
    return [];
  }
  if (read.state === 'failed') {
    const place = toDisplayName({ namespace, name: read.ref.name });
    return [{ kind: 'error', error: `failed to get ${title} ${read.ref.kind} ${place}: ${read.problem}` }];
  }
  const { object } = read;
  const name = toDisplayName(object.metadata);
  const id = `sync:${machine}:${title}`;
  const repair = repairManagedFields(object, metadataManager);
  if (repair !== undefined) {
    return [repairStep('repair', repair, { id, machine, problem: undefined })];
  }
  const migration = migrateManagedFields(object);
  if (migration !== undefined) {
    return [
      repairStep('migration', migration, {
        id,
        machine,
        problem: `failed to clean up managedFields of ${title} ${name}`,
      }),
    ];
  }
  const problem = `failed to update ${title} ${name}`;
  return applyStep(objectMetadata(object, metadata), object, { id, manager: metadataManager, machine, problem });
}

interface Write {
  readonly id: string;
  readonly machine: string;
  readonly problem: string | undefined;
}

function repairStep(
  kind: 'repair' | 'migration',
  { ref, body, resourceVersion }: ManagedFieldsRepair,
  write: Write,
): Step {
  const { id, machine, problem } = write;
  return { kind, machine, problem, action: { id, onError: 'continue', do: 'patch', ref, body, resourceVersion } };
}

function applyStep(
  intent: Intent,
  live: Unstructured,
  { id, manager, machine, problem }: Write & { readonly manager: string },
): readonly Step[] {
  if (appliesWithoutChange(intent, live, manager) === 'certain') {
    return [];
  }
  const action: Action = { id, onError: 'continue', do: 'apply', object: intent, manager, uid: live.metadata.uid };
  return [{ kind: 'write', machine, problem, action }];
}
