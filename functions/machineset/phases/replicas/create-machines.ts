// Creates Machines under reserved names: for each name the bootstrap config, the infrastructure machine, then the Machine.
// A crash leaves the reservation, and the next pass completes its names. So nothing is created twice and nothing is lost.
import {
  allInOrder,
  andThen,
  type Checked,
  type Intent,
  invalid,
  isJsonObject,
  type JsonObject,
  mapChecked,
  quote,
  toDisplayName,
  toRecord,
  toRef,
  type Unstructured,
  valid,
} from '@capi-serverless/apimachinery';
import { v1Beta1False } from '@capi-serverless/cluster-api/conditions';
import { type Action, concluded, failureOf, type Outcomes, onlyIf } from '@capi-serverless/reconciler';
import { isDefined } from '../../../../shared/api/cluster/reader.ts';
import type { WholeMachineSet } from '../../../../shared/api/machine-set/whole-machine-set.ts';
import type { Preflight } from '../../../../shared/machine-collections/preflight-scope.ts';
import type { Digest } from '../../../../shared/names/random-characters.ts';
import { type ManagedFieldsRepair, rawEntries, toRepair } from '../../../../shared/server-side-apply/managed-fields.ts';
import type { NameUse, ObservedMachineSet, ReservedName } from '../../seen.ts';
import { patchMetadataId } from '../own-metadata.ts';
import type { MachineSetChange, MachineSetPhase } from '../pass-progress.ts';
import { machineSetManager } from '../propagation/field-migration.ts';
import {
  type CloneRole,
  type CreationContext,
  cloneProblem,
  computedObjects,
  creationFailed,
  machineProblem,
  nameProblem,
  reservationProblem,
} from './creation-problem.ts';
import {
  lastNumberAnnotation,
  newMachineNames,
  reservedMachinesAnnotation,
  reservedNamesOf,
  reserveId,
  versionAfter,
} from './machine-names.ts';
import { cloneFor, newMachine } from './new-machine.ts';
import { releaseAction, releaseProblem } from './release-names.ts';

/** The time until the next try after a failed preflight check. */
const preflightRequeueMs = 15_000;

type CreationFacts = Pick<ObservedMachineSet, 'machineSet' | 'infrastructure' | 'bootstrap' | 'preflight' | 'reserved'>;

interface Creating {
  readonly count: number;
  /** The names of the Machines that exist. */
  readonly taken: ReadonlySet<string>;
  readonly digest: Digest;
  /** Whether earlier actions of this pass allow the creation. */
  readonly mayCreate: (outcomes: Outcomes) => boolean;
}

export function createMachinesPhase(facts: CreationFacts, creating: Creating): MachineSetPhase {
  const { machineSet, preflight, reserved } = facts;
  if (preflight !== undefined && preflight.state !== 'passed') {
    return concluded(refusedBy(preflight));
  }
  if (reserved.some(isTaken)) {
    return releaseTaken(machineSet, reserved);
  }
  const hasReservation = reservedNamesOf(machineSet).length > 0;
  const names = hasReservation ? valid<NewReservation>({ names: reserved, steps: [] }) : newNames(facts, creating);
  if (!names.ok) {
    return concluded(creationFailed(nameProblem, names.error));
  }
  const intents = allInOrder(
    names.value.names.map(name => mapChecked(intentsOf(name.name, facts), of => ({ name, of }))),
  );
  if (!intents.ok) {
    return concluded(intents.error);
  }
  const steps = [
    ...names.value.steps,
    ...intents.value.flatMap(({ name, of }) => stepsOf(name, machineSet, of)),
    releaseStep(machineSet),
  ];
  return onlyIf(creating.mayCreate, creationPhase(steps));
}

/** One action of the creation. If it fails, no later action is performed. */
interface CreationStep {
  readonly action: Action;
  readonly problem: CreationContext;
}

function creationPhase(steps: readonly CreationStep[]): MachineSetPhase {
  const firstFailure = (outcomes: Outcomes, before: number) =>
    steps.slice(0, before).find(({ action }) => failureOf(outcomes, action.id) !== undefined);
  return {
    actions: steps.map(({ action }, at) => ({
      ...action,
      when: outcomes => firstFailure(outcomes, at) === undefined && action.when?.(outcomes) !== false,
    })),
    steps: [
      {
        change: outcomes => {
          const failed = firstFailure(outcomes, steps.length);
          return failed === undefined
            ? { again: true }
            : creationFailed(failed.problem, `${failureOf(outcomes, failed.action.id)?.message}`);
        },
      },
    ],
  };
}

function refusedBy(preflight: Exclude<Preflight, { state: 'passed' }>): MachineSetChange {
  const messages =
    preflight.state === 'failed' ? preflight.messages : [`failed to perform "Scale up": ${preflight.problem}`];
  return {
    preflightMessages: messages,
    machinesCreated: v1Beta1False('MachinesCreated', {
      reason: 'PreflightCheckFailed',
      severity: 'Error',
      message: messages.join('; '),
    }),
    ...(preflight.state === 'failed'
      ? { requeues: [preflightRequeueMs] }
      : { errors: messages.map(message => `failed to sync replicas: ${message}`) }),
  };
}

function isTaken({ machine, infrastructure, bootstrap }: ReservedName): boolean {
  return [machine, infrastructure, bootstrap].some(({ state }) => state === 'taken');
}

/** Another pass reserves other names. */
function releaseTaken(machineSet: WholeMachineSet, reserved: readonly ReservedName[]): MachineSetPhase {
  const problems = reserved
    .flatMap(({ machine, infrastructure, bootstrap }) => [machine, infrastructure, bootstrap])
    .flatMap(use => (use.state === 'taken' ? [use.problem] : []));
  const release = releaseAction(machineSet, [patchMetadataId]);
  const failed = creationFailed(machineProblem, problems.join('; '));
  const needs = [{ id: release.id, problem: undefined }];
  return { actions: [release], steps: [{ change: { ...failed, errors: [], again: true }, needs, otherwise: failed }] };
}

const free: NameUse = { state: 'free' };

interface NewReservation {
  readonly names: readonly ReservedName[];
  /** The write of the reservation. Empty if it exists. */
  readonly steps: readonly CreationStep[];
}

function newNames({ machineSet }: CreationFacts, { count, taken, digest }: Creating): Checked<NewReservation> {
  const numbered = newMachineNames({ machineSet, count, taken, digest });
  return mapChecked(numbered, ({ names, last }) => ({
    names: names.map(name => ({ name, machine: free, infrastructure: free, bootstrap: free })),
    steps: [reserveStep(machineSet, names, last)],
  }));
}

interface MachineIntents {
  /** `undefined` if the template references none. */
  readonly bootstrap: Intent | undefined;
  readonly infrastructure: Intent;
}

function intentsOf(
  name: string,
  { machineSet, ...templates }: CreationFacts,
): Checked<MachineIntents, MachineSetChange> {
  const clone = (role: CloneRole): Checked<Intent, MachineSetChange> => {
    const cloned = cloneFor(name, machineSet, templates[role]);
    return cloned.ok
      ? cloned
      : invalid(creationFailed(cloneProblem(role, machineSet, computedObjects[role]), cloned.error));
  };
  const bootstrap: Checked<Intent | undefined, MachineSetChange> = isDefined(
    machineSet.spec.template.spec.bootstrap.configRef,
  )
    ? clone('bootstrap')
    : valid(undefined);
  return andThen(bootstrap, config =>
    mapChecked(clone('infrastructure'), infrastructure => ({ bootstrap: config, infrastructure })),
  );
}

/** The lock makes sure that no other pass reserves names for the same Machines. */
function reserveStep(machineSet: WholeMachineSet, names: readonly string[], last: number): CreationStep {
  const annotations = { [reservedMachinesAnnotation]: names.join(','), [lastNumberAnnotation]: String(last) };
  return {
    problem: reservationProblem,
    action: {
      id: reserveId,
      onError: 'continue',
      do: 'patch',
      ref: toRef(machineSet.object),
      body: { metadata: { annotations } },
      resourceVersion: outcomes => versionAfter(machineSet.metadata.resourceVersion, [patchMetadataId], outcomes),
    },
  };
}

/** If another writer changed the MachineSet, another pass compares the reservation with the Machines. */
function releaseStep(machineSet: WholeMachineSet): CreationStep {
  return { problem: releaseProblem, action: releaseAction(machineSet, [patchMetadataId, reserveId]) };
}

function stepsOf(
  { name, machine, bootstrap, infrastructure }: ReservedName,
  machineSet: WholeMachineSet,
  intents: MachineIntents,
): readonly CreationStep[] {
  if (machine.state === 'ours') {
    return [];
  }
  const message = `Created Machine ${quote(name)}`;
  return [
    ...(intents.bootstrap === undefined ? [] : cloneSteps('bootstrap', machineSet, intents.bootstrap, bootstrap)),
    ...cloneSteps('infrastructure', machineSet, intents.infrastructure, infrastructure),
    {
      problem: machineProblem,
      action: {
        ...createAction(`create:${name}`, newMachine(name, machineSet, intents)),
        toEvent: () => ({ type: 'Normal', reason: 'SuccessfulCreate', message }),
      },
    },
  ];
}

/** If the object exists, another pass finds out whether it is ours. */
function createAction(id: string, object: Intent): Action {
  return {
    id,
    onError: 'continue',
    do: 'apply',
    object,
    manager: machineSetManager,
    uid: undefined,
    onlyCreate: true,
  };
}

function cloneSteps(
  role: CloneRole,
  machineSet: WholeMachineSet,
  intent: Intent,
  use: NameUse,
): readonly CreationStep[] {
  const id = `create:${intent.metadata.name}:${role}`;
  const place = `${intent.kind} ${toDisplayName(intent.metadata)}`;
  const existing = use.state === 'ours' ? use.object : undefined;
  const created: CreationStep = {
    problem: cloneProblem(role, machineSet, `failed to apply ${intent.kind}`),
    action: createAction(id, intent),
  };
  const repairIn = (outcomes: Outcomes): ManagedFieldsRepair | undefined => {
    const outcome = outcomes.get(id);
    const object = outcome?.state === 'done' ? outcome.object : existing;
    return object === undefined ? undefined : withoutOwnedMetadata(object);
  };
  return [
    ...(existing === undefined ? [created] : []),
    {
      problem: cloneProblem(
        role,
        machineSet,
        `failed to remove managedFields for labels and annotations from ${place}`,
      ),
      action: {
        id: `${id}:owners`,
        onError: 'continue',
        do: 'patch',
        ref: toRef(intent),
        body: outcomes => repairIn(outcomes)?.body ?? {},
        resourceVersion: outcomes => repairIn(outcomes)?.resourceVersion ?? '',
        // The provider may write to a new object at once.
        renew: object => withoutOwnedMetadata(object)?.body,
        when: outcomes => repairIn(outcomes) !== undefined,
      },
    },
  ];
}

const metadataFields = ['f:labels', 'f:annotations'];

/**
 * The manager of the spec must not own labels and annotations of a new object. The next pass applies these as another
 * manager, which can then remove them. No manager owns the annotations that name the template, so that no apply removes
 * them. Returns `undefined` if the manager owns neither labels nor annotations.
 */
export function withoutOwnedMetadata(object: Unstructured): ManagedFieldsRepair | undefined {
  const entries = rawEntries(object);
  return entries.some(ownsMetadata)
    ? toRepair(
        object,
        entries.map(entry => (ownsMetadata(entry) ? without(entry) : entry)),
      )
    : undefined;
}

function ownsMetadata({ manager, operation, fieldsV1 }: JsonObject): boolean {
  const metadata = toRecord(fieldsV1)['f:metadata'];
  return (
    manager === machineSetManager &&
    operation === 'Apply' &&
    isJsonObject(metadata) &&
    metadataFields.some(field => field in metadata)
  );
}

function without(entry: JsonObject): JsonObject {
  const { 'f:metadata': metadata, ...fields } = toRecord(entry['fieldsV1']);
  const { 'f:labels': _, 'f:annotations': _annotations, ...rest } = toRecord(metadata);
  return { ...entry, fieldsV1: { ...fields, ...(Object.keys(rest).length === 0 ? {} : { 'f:metadata': rest }) } };
}
