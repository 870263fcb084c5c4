// The in-place update of a Machine: the hook UpdateMachine is called until it reports the end, then the marks of the
// update are removed. The owner of the Machine sets these marks.
import {
  type Checked,
  type Instant,
  type JsonObject,
  toDisplayName,
  toRef,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import {
  type Action,
  type AskingPlan,
  ask,
  concluded,
  isDeleting,
  type Outcomes,
  type Question,
} from '@capi-serverless/reconciler';
import type { WholeMachine } from '../../../../shared/api/machine/whole-machine.ts';
import type { InScope, Scoped } from '../../../../shared/external/external.ts';
import { isUpdatingInPlace } from '../../../../shared/machine-collections/in-place-marks.ts';
import { updateInProgressAnnotation } from '../../../../shared/machine-collections/keys.ts';
import {
  type Blocks,
  blockingHooksAnnotation,
  readBlocks,
  recall,
  remember,
  storeBlocks,
} from '../../../../shared/runtime-hooks/rules/blocks.ts';
import { updateMachine } from '../../../../shared/runtime-hooks/rules/catalog.ts';
import type { RetryResponse } from '../../../../shared/runtime-hooks/rules/hook.ts';
import { isPending, markDone } from '../../../../shared/runtime-hooks/rules/pending-hooks.ts';
import type { UpdateMachineRequest } from '../../../../shared/runtime-hooks/rules/requests.ts';
import type { MachineSettings } from '../../seen.ts';
import { patchMachineId } from '../own-metadata.ts';
import type { MachineExternalRole } from '../ownership.ts';
import type { MachineChange, MachinePhase } from '../pass-progress.ts';

/** The condition Updating while the update has no other reason. */
export const inProgress = { reason: 'InPlaceUpdating', message: 'In-place update in progress' };

/** The feature gate has no influence on the condition and the phase. */
export function isUpdateInProgress({ metadata }: WholeMachine): boolean {
  return isUpdatingInPlace(metadata.annotations);
}

/** The full names of the handlers of UpdateMachine. */
type UpdateHandlersQuestion = Question<'updateHandlers', WholeMachine, Checked<readonly string[]>>;
/** Calls the handler. */
type UpdateMachineQuestion = Question<'updateMachine', UpdateMachineRequest, Checked<RetryResponse>>;
type UpdateQuestion = UpdateHandlersQuestion | UpdateMachineQuestion;

interface MarkedObjects {
  readonly machine: WholeMachine;
  readonly bootstrap: Scoped;
  readonly infrastructure: Scoped;
}

interface UpdateScope extends MarkedObjects {
  readonly settings: Pick<MachineSettings, 'updatesInPlace'>;
  readonly now: Instant;
}

/** The extension is called until it reports the end, unless its stored answer says to wait. */
export function* planUpdate(scope: UpdateScope): AskingPlan<UpdateQuestion, MachinePhase> {
  const state = updateStateOf(scope);
  switch (state) {
    case 'none':
      return concluded();
    case 'complete':
      return complete(scope, 'failed to clean up orphaned UpdateMachine hook and annotations');
    case 'impossible':
      return failed('In-place update not possible: InfraMachine not found', 'InfraMachine not found');
    default:
      return yield* callHook({ ...scope, infrastructure: state.call });
  }
}

/**
 * 'none': there is no update, the owner has not marked all objects yet, or an object could not be read. The phase of the
 * object reports this error. 'complete': an interrupted completion must be finished. 'impossible': the infrastructure
 * machine is not usable. `call`: the hook is called for this infrastructure machine.
 */
type UpdateState = 'none' | 'complete' | 'impossible' | { readonly call: InScope };

function updateStateOf({ machine, bootstrap, infrastructure, settings }: UpdateScope): UpdateState {
  const { metadata, status } = machine;
  const isMarked = updateInProgressAnnotation in metadata.annotations;
  const isHookPending = isPending(metadata.annotations, updateMachine);
  if (isDeleting(machine) || !settings.updatesInPlace || !isHookPending) {
    return 'none';
  }
  if (!isMarked) {
    // An object that could not be read may have a mark, which only this completion removes.
    return [bootstrap, infrastructure].some(({ state }) => state === 'unknown') ? 'none' : 'complete';
  }
  const { infrastructureProvisioned, bootstrapDataSecretCreated } = status.initialization;
  if (!infrastructureProvisioned || !bootstrapDataSecretCreated || status.nodeRef.name === '') {
    return 'none';
  }
  if (infrastructure.state !== 'inScope') {
    return 'impossible';
  }
  // A bootstrap config that could not be read may not be marked yet.
  const isReady =
    isMarkedObject(infrastructure) &&
    bootstrap.state !== 'unknown' &&
    (bootstrap.state !== 'inScope' || isMarkedObject(bootstrap));
  return isReady ? { call: infrastructure } : 'none';
}

function isMarkedObject({ object }: InScope): boolean {
  return updateInProgressAnnotation in (object.metadata.annotations ?? {});
}

type CalledUpdate = UpdateScope & { readonly infrastructure: InScope };

/** Cluster API supports one extension for this hook. */
function* callHook(scope: CalledUpdate): AskingPlan<UpdateQuestion, MachinePhase> {
  const { machine, now } = scope;
  const handlers = yield* ask<UpdateHandlersQuestion>('updateHandlers', machine);
  if (!handlers.ok) {
    return failed(hookFailed, handlers.error);
  }
  const names = handlers.value;
  if (names.length === 0) {
    return failed(hookFailed, 'no extensions registered for UpdateMachine hook');
  }
  if (names.length > 1) {
    return failed(hookFailed, `found multiple UpdateMachine hooks (${names.join(',')}): only one hook is supported`);
  }
  const blocks = readBlocks(machine.metadata.annotations);
  const remembered = recall(blocks, updateMachine, now);
  if (remembered !== undefined) {
    const { remainingMs, response } = remembered;
    return waiting(machine, { waitMs: remainingMs, message: response.message, blocks });
  }
  const answer = yield* ask<UpdateMachineQuestion>('updateMachine', { desired: toDesired(scope) });
  if (!answer.ok) {
    return failed(hookFailed, answer.error);
  }
  const { retryAfterSeconds } = answer.value;
  if (retryAfterSeconds <= 0) {
    return complete(scope, 'failed to complete in-place update');
  }
  const message = answer.value.message.slice(0, longestMessage);
  const response = { ...answer.value, message };
  const kept = remember(blocks, updateMachine, { response, now });
  return waiting(machine, { waitMs: retryAfterSeconds * 1000, message, blocks: kept });
}

/** The answer is stored in an annotation, whose size is limited. */
const longestMessage = 2048;

const hookFailed = 'UpdateMachine hook failed: please check controller logs for errors';

function failed(message: string, error: string): MachinePhase {
  return concluded({
    updating: { reason: 'InPlaceUpdateFailed', message },
    errors: [`in-place update failed: ${error}`],
  });
}

function toDesired({ machine, infrastructure, bootstrap }: CalledUpdate): UpdateMachineRequest['desired'] {
  return {
    machine: toPart(machine.object),
    infrastructureMachine: toPart(infrastructure.object),
    ...(bootstrap.state === 'inScope' ? { bootstrapConfig: toPart(bootstrap.object) } : {}),
  };
}

/** Extensions receive neither status nor owner references. */
function toPart({ apiVersion, kind, metadata, spec }: Unstructured): JsonObject {
  const { name, namespace, labels, annotations } = metadata;
  return { apiVersion, kind, metadata: { name, namespace, labels, annotations }, spec };
}

interface Waiting {
  readonly waitMs: number;
  readonly message: string;
  /** The answers that must be stored. */
  readonly blocks: Blocks;
}

function waiting(machine: WholeMachine, { waitMs, message, blocks }: Waiting): MachinePhase {
  const text = message === '' ? inProgress.message : `${inProgress.message}: ${message}`;
  const change: MachineChange = { updating: { reason: inProgress.reason, message: text }, requeues: [waitMs] };
  return { actions: storeAnswer(machine, blocks), steps: [{ change }] };
}

function storeAnswer({ object, metadata }: WholeMachine, blocks: Blocks): readonly Action[] {
  const annotations = storeBlocks(metadata.annotations, blocks);
  return Object.keys(annotations).length === 0
    ? []
    : [
        {
          id: 'update:answer',
          onError: 'stop',
          do: 'patch',
          ref: toRef(object),
          body: { metadata: { annotations } },
          resourceVersion: outcomes => versionAfter(outcomes, [patchMachineId], object),
        },
      ];
}

const unmarkMachineId = 'update:unmark-machine';
const hookDoneId = 'update:hook-done';

/** Stops at the first failure. The next pass finds the hook pending without the annotation, and continues. */
function complete(scope: MarkedObjects, problem: string): MachinePhase {
  const { machine, infrastructure, bootstrap } = scope;
  const marked = [
    { id: unmarkMachineId, object: machine.object },
    ...inScope('infrastructure', infrastructure),
    ...inScope('bootstrap', bootstrap),
  ].filter(({ object }) => updateInProgressAnnotation in (object.metadata.annotations ?? {}));
  const unmark = marked.map(
    ({ id, object }): Action => ({
      id,
      onError: 'stop',
      do: 'patch',
      ref: toRef(object),
      body: { metadata: { annotations: { [updateInProgressAnnotation]: null } } },
    }),
  );
  const annotations = {
    ...markDone(machine.metadata.annotations, updateMachine),
    ...(blockingHooksAnnotation in machine.metadata.annotations ? { [blockingHooksAnnotation]: null } : {}),
  };
  const markHook: Action = {
    id: hookDoneId,
    onError: 'stop',
    do: 'patch',
    ref: toRef(machine.object),
    body: { metadata: { annotations } },
    resourceVersion: outcomes => versionAfter(outcomes, [unmarkMachineId, patchMachineId], machine.object),
  };
  return {
    actions: [...unmark, markHook],
    steps: [
      {
        change: { isUpdateDone: true },
        needs: [
          ...marked.map(({ id, object }) => ({ id, problem: `${problem}: ${unmarkProblem(object)}` })),
          { id: hookDoneId, problem: `${problem}: failed to mark "${updateMachine.name}" hook as done` },
        ],
      },
    ],
  };
}

function inScope(role: MachineExternalRole, scoped: Scoped) {
  return scoped.state === 'inScope' ? [{ id: `update:unmark-${role}`, object: scoped.object }] : [];
}

function unmarkProblem({ kind, metadata }: Unstructured): string {
  return `failed to remove ${updateInProgressAnnotation} annotation from ${kind} ${toDisplayName(metadata)}`;
}

/** The version of the Machine after the last of these writes. */
function versionAfter(outcomes: Outcomes, ids: readonly string[], { metadata }: Unstructured): string {
  for (const id of ids) {
    const outcome = outcomes.get(id);
    if (outcome?.state === 'done' && outcome.object !== undefined) {
      return outcome.object.metadata.resourceVersion;
    }
  }
  return metadata.resourceVersion;
}
