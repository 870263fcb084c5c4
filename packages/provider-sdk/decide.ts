// The writes of one pass. Normal: finalizer, call, endpoint. Deletion: call, remove the finalizer.
import {
  type Instant,
  type MergePatch,
  type Reads,
  toDisplayName,
  toRef,
  type Unstructured,
} from '@capi-serverless/apimachinery';
import { type ControlPlaneEndpoint, providerPaths, readEndpoint, setAt } from '@capi-serverless/cluster-api/contract';
import { type Action, type Log, type Outcomes, patchFinalizers } from '@capi-serverless/reconciler';
import { type AuthorCall, type Called, callAuthor, calledOf } from './call.ts';
import type { ProviderObservation } from './provider-observation.ts';
import { parseDeleteOutcome } from './results.ts';
import type { DeleteOutcome, ProviderRole, Publication } from './role.ts';

/** The observation of one pass: the object, its next step, and the input of the author's function. */
export interface ActuatorSeen {
  readonly object: Unstructured;
  readonly observation: ProviderObservation;
  readonly client: Reads;
  readonly log: Log;
}

export const actionIds = {
  adopt: 'add-finalizer',
  release: 'remove-finalizer',
  call: 'call',
  endpoint: 'endpoint',
} as const;

export function decideActions(seen: ActuatorSeen, role: ProviderRole, now: Instant): readonly Action[] {
  const { object, observation } = seen;
  switch (observation.step) {
    case 'adopt':
      return [patchFinalizers(actionIds.adopt, object, [...finalizersOf(object), role.finalizer])];
    case 'release':
      return [releasePatch(object, role)];
    case 'normal':
      return [callNormal(seen, observation.cluster, { role, now }), endpointPatch(object, role)];
    case 'delete':
      return [
        callDelete(seen, observation.cluster, { role, now }),
        { ...releasePatch(object, role), when: outcomes => isDeleteDone(deleteOutcomeOf(outcomes)) },
      ];
    case 'unreadable':
    case 'pause':
    case 'terminal':
    case 'wait':
      return [];
  }
}

export function publicationOf(outcomes: Outcomes): Called<Publication> {
  return calledOf(outcomes.get(actionIds.call));
}

export function deleteOutcomeOf(outcomes: Outcomes): Called<DeleteOutcome> {
  return calledOf(outcomes.get(actionIds.call));
}

/** Returns the author's endpoint if it differs from the endpoint of the object. */
function endpointToWrite(object: Unstructured, { end }: Called<Publication>): ControlPlaneEndpoint | undefined {
  const wanted = end.kind === 'returned' ? end.value.endpoint : undefined;
  const found = readEndpoint(object);
  const same = found.state === 'value' && found.value.host === wanted?.host && found.value.port === wanted.port;
  return same ? undefined : wanted;
}

function isDeleteDone({ end }: Called<DeleteOutcome>): boolean {
  return end.kind === 'returned' && end.value.done;
}

interface Calling {
  readonly role: ProviderRole;
  readonly now: Instant;
}

function callNormal(seen: ActuatorSeen, cluster: Unstructured, { role, now }: Calling): Action {
  return call<Publication>('reconcileNormal', seen, {
    role,
    now,
    method: context => role.reconcileNormal({ ...context, cluster: structuredClone(cluster) }),
    parse: raw => role.parseResult(raw, seen.object),
  });
}

function callDelete(seen: ActuatorSeen, cluster: Unstructured | undefined, { role, now }: Calling): Action {
  return call<DeleteOutcome>('reconcileDelete', seen, {
    role,
    now,
    method: context => role.reconcileDelete({ ...context, cluster: structuredClone(cluster) }),
    parse: raw => parseDeleteOutcome(raw, role),
  });
}

function call<T>(
  verb: string,
  { object, client, log }: ActuatorSeen,
  { now, ...rest }: Pick<AuthorCall<T>, 'role' | 'method' | 'parse'> & { readonly now: Instant },
): Action {
  const label = `${verb} of ${object.kind} ${toDisplayName(object.metadata)}`;
  const run = (abort: AbortSignal): Promise<unknown> =>
    callAuthor({ ...rest, label, observed: { object, client, log, now } }, abort);
  return { id: actionIds.call, onError: 'stop', do: 'run', label, run };
}

/** The endpoint belongs to this version of the object. For a newer version, the next pass decides. */
function endpointPatch(object: Unstructured, role: ProviderRole): Action {
  return {
    id: actionIds.endpoint,
    onError: 'stop',
    when: outcomes => endpointToWrite(object, publicationOf(outcomes)) !== undefined,
    do: 'patch',
    ref: toRef(object),
    body: outcomes =>
      setAt<MergePatch>({}, providerPaths[role.contract].endpoint, endpointToWrite(object, publicationOf(outcomes))),
    resourceVersion: object.metadata.resourceVersion,
  };
}

function releasePatch(object: Unstructured, role: ProviderRole): Action {
  const remaining = finalizersOf(object).filter(finalizer => finalizer !== role.finalizer);
  return patchFinalizers(actionIds.release, object, remaining);
}

function finalizersOf(object: Unstructured): readonly string[] {
  return object.metadata.finalizers ?? [];
}
