// The in-place update of a Machine: the hook UpdateMachine is called until it reports the end, then the marks of the
// update are removed. The owner of the Machine sets these marks.
import { toDisplayName, toRef, type Unstructured } from '@capi-serverless/apimachinery';
import { type Action, concluded, type Outcomes } from '@capi-serverless/reconciler';
import type { WholeMachine } from '../../../../shared/api/machine/whole-machine.ts';
import type { Scoped } from '../../../../shared/external/external.ts';
import { isUpdatingInPlace } from '../../../../shared/machine-collections/in-place-marks.ts';
import { updateInProgressAnnotation } from '../../../../shared/machine-collections/keys.ts';
import { type Blocks, blockingHooksAnnotation, storeBlocks } from '../../../../shared/runtime-hooks/rules/blocks.ts';
import { updateMachine } from '../../../../shared/runtime-hooks/rules/catalog.ts';
import { isPending, markDone } from '../../../../shared/runtime-hooks/rules/pending-hooks.ts';
import type { MachineSettings } from '../../seen.ts';
import type { MachineExternalsPlan } from '../externals.ts';
import { patchMachineId } from '../own-metadata.ts';
import type { MachineExternalRole } from '../ownership.ts';
import type { MachineChange, MachinePhase } from '../pass-progress.ts';

/** The condition Updating while the update has no other reason. */
export const inProgress = { reason: 'InPlaceUpdating', message: 'In-place update in progress' };

/** The answer of the hook in this pass. */
export type UpdateAnswer =
  | { readonly state: 'failed'; readonly error: string }
  /** `blocks`: the answers that must be stored. */
  | { readonly state: 'retry'; readonly waitMs: number; readonly message: string; readonly blocks: Blocks }
  | { readonly state: 'done' };

/** The feature gate has no influence on the condition and the phase. */
export function isUpdateInProgress({ metadata }: WholeMachine): boolean {
  return isUpdatingInPlace(metadata.annotations);
}

/** What an update needs in this pass: a step without a call, or the answer of the hook. */
export type UpdateDecision = { readonly state: Exclude<UpdateState, 'call'> } | UpdateAnswer;

interface PlannedObjects {
  readonly machine: WholeMachine;
  readonly bootstrap: Scoped;
  readonly infrastructure: Scoped;
}

interface UpdateScope extends PlannedObjects {
  readonly settings: Pick<MachineSettings, 'updatesInPlace'>;
}

/**
 * 'none': there is no update, the owner has not marked all objects yet, or an object could not be read. The phase of the
 * object reports this error. 'complete': an interrupted completion must be finished. 'impossible': the infrastructure machine is not usable. 'call': the hook is called.
 */
export type UpdateState = 'none' | 'complete' | 'impossible' | 'call';

export function updateStateOf({ machine, bootstrap, infrastructure, settings }: UpdateScope): UpdateState {
  const { metadata, status } = machine;
  const isMarked = updateInProgressAnnotation in metadata.annotations;
  const isHookPending = isPending(metadata.annotations, updateMachine);
  if (!settings.updatesInPlace || !isHookPending) {
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
  return isReady ? 'call' : 'none';
}

function isMarkedObject({ object }: Extract<Scoped, { state: 'inScope' }>): boolean {
  return updateInProgressAnnotation in (object.metadata.annotations ?? {});
}

const hookFailed = 'UpdateMachine hook failed: please check controller logs for errors';

interface UpdatingScope {
  readonly machine: WholeMachine;
  readonly externals: MachineExternalsPlan;
  readonly update: UpdateDecision;
}

export function updatePhase({ machine, externals, update }: UpdatingScope): MachinePhase {
  const scope = { machine, bootstrap: externals.bootstrap.scoped, infrastructure: externals.infrastructure.scoped };
  switch (update.state) {
    case 'none':
      return concluded();
    case 'complete':
      return complete(scope, 'failed to clean up orphaned UpdateMachine hook and annotations');
    case 'impossible':
      return concluded({
        updating: { reason: 'InPlaceUpdateFailed', message: 'In-place update not possible: InfraMachine not found' },
        errors: ['in-place update failed: InfraMachine not found'],
      });
    case 'failed':
      return concluded({
        updating: { reason: 'InPlaceUpdateFailed', message: hookFailed },
        errors: [`in-place update failed: ${update.error}`],
      });
    case 'retry':
      return { actions: storeAnswer(machine, update.blocks), steps: [{ change: waiting(update) }] };
    case 'done':
      return complete(scope, 'failed to complete in-place update');
  }
}

function waiting({ message, waitMs }: Extract<UpdateAnswer, { state: 'retry' }>): MachineChange {
  const text = message === '' ? inProgress.message : `${inProgress.message}: ${message}`;
  return { updating: { reason: inProgress.reason, message: text }, requeues: [waitMs] };
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
function complete(scope: PlannedObjects, problem: string): MachinePhase {
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
