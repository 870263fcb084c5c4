// Records the Events of a report, about the primary or another object. Their names are deterministic, so a retry is a no-op.

import { createHash } from 'node:crypto';
import {
  type ApiFailure,
  type Instant,
  type Intent,
  type PartialObject,
  toLimitedText,
  toRef,
  type Writes,
} from '@capi-serverless/apimachinery';
import { toTimestamp } from '@capi-serverless/apimachinery/timestamp';
import type { Log } from './log.ts';
import type { Action, Declaration, EventDraft, Outcomes } from './types.ts';

const hashCharacters = 16;
/** Names are DNS subdomains of at most 253 characters. */
const longestName = 253;
/** The maximum length of a message, without the note that it was cut. Messages may quote texts of other servers. */
const longestMessage = 1000;

interface EventContext {
  readonly writes: Pick<Writes, 'create'>;
  readonly declaration: Declaration;
  readonly log: Log;
  readonly now: Instant;
}

/** Returns the Events of the performed actions. */
export function eventsOf(actions: readonly Action[], outcomes: Outcomes): readonly EventDraft[] {
  return actions.flatMap(({ id, toEvent }) => {
    const outcome = outcomes.get(id);
    return outcome?.state === 'done' && toEvent !== undefined ? [toEvent(outcome.object)] : [];
  });
}

/**
 * Creates the Events. If one already exists, an earlier try created it. A refused Event is logged and otherwise
 * ignored.
 */
export async function recordEvents(
  context: EventContext,
  primary: PartialObject,
  drafts: readonly EventDraft[],
): Promise<void> {
  await Promise.all(
    drafts.map(limited).map(async draft => {
      const answer = await context.writes.create(toEvent(context, draft.about ?? primary, draft), {
        fieldManager: context.declaration.fieldManager,
      });
      if (answer.ok || answer.failure.reason === 'AlreadyExists') {
        return;
      }
      if (isNamespaceEnding(answer.failure)) {
        context.log.debug('Recording no event in a namespace that ends', { reason: draft.reason });
      } else {
        context.log.error('Recording an event failed', new Error(answer.failure.message), { reason: draft.reason });
      }
    }),
  );
}

/**
 * The API server accepts no new object in a namespace that is being deleted, so each of its objects would log errors when it
 * ends. https://github.com/kubernetes/apiserver/blob/master/pkg/admission/plugin/namespace/lifecycle/admission.go
 */
function isNamespaceEnding({ reason, message }: ApiFailure): boolean {
  return reason === 'NotFound' || (reason === 'Forbidden' && message.endsWith('because it is being terminated'));
}

function limited(draft: EventDraft): EventDraft {
  return { ...draft, message: toLimitedText(draft.message, longestMessage) };
}

function toEvent(context: EventContext, object: PartialObject, draft: EventDraft): Intent {
  const { namespace, uid, resourceVersion } = object.metadata;
  const time = toTimestamp(context.now);
  const component = context.declaration.eventSource;
  const home = namespace ?? 'default';
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: eventName(object, draft), namespace: home },
    involvedObject: { ...toRef(object), uid, resourceVersion },
    type: draft.type,
    reason: draft.reason,
    message: draft.message,
    source: { component },
    reportingComponent: component,
    reportingInstance: '',
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
  };
}

function eventName(object: PartialObject, draft: EventDraft): string {
  const { name, uid, resourceVersion } = object.metadata;
  const identity = JSON.stringify([uid, draft.reason, draft.message, resourceVersion]);
  const hash = createHash('sha256').update(identity).digest('hex').slice(0, hashCharacters);
  const prefix = name.slice(0, longestName - hashCharacters - 1).replace(/(?<![^a-z0-9])[^a-z0-9]+$/, '');
  return `${prefix}.${hash}`;
}
