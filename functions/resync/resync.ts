// Enqueues every object, distributed over the resync period. A lost event therefore only delays a reconcile.
import { type Kind, pagesOf, toApiVersion, type Unstructured } from '@capi-serverless/apimachinery';
import { type Declaration, RetryableError } from '@capi-serverless/reconciler';
import { passesWatchFilter } from '../../shared/kernel/watch-filter.ts';
import { toSpread } from '../../shared/workqueue/ids.ts';
import { messageVersion } from '../../shared/workqueue/message.ts';
import { toDelayedMessage } from '../../shared/workqueue/outgoing.ts';
import type { OutgoingMessage } from '../../shared/workqueue/port.ts';
import { delayQueue } from '../../shared/workqueue/queue-names.ts';
import { maxDelaySeconds } from '../../shared/workqueue/timer-grid.ts';
import { type ResyncOptions, toKey, toKindName } from './options.ts';

interface Primary {
  readonly kind: Kind;
  /** The reconcilers of this kind. */
  readonly reconcilers: string[];
}

/**
 * Sends one delayed request per object and reconciler. Each request has its own offset in the period. A failed kind
 * does not stop the others. Afterwards a RetryableError names the failed kinds. A kind that the API server does not
 * serve has no objects.
 */
export async function resync(options: ResyncOptions, periodSeconds: number): Promise<void> {
  const failures: string[] = [];
  for (const primary of toPrimaries(options.declarations)) {
    const failure = await resyncKind(options, primary, Math.min(periodSeconds, maxDelaySeconds));
    if (failure !== undefined) {
      failures.push(`${toKindName(primary.kind)}: ${failure}`);
    }
  }
  if (failures.length > 0) {
    throw new RetryableError(`Resyncing failed for ${failures.join('; ')}`);
  }
}

function toPrimaries(declarations: readonly Declaration[]): readonly Primary[] {
  const primaries = new Map<string, Primary>();
  for (const { name, primary: kind } of declarations) {
    const known = primaries.get(toKindName(kind));
    if (known === undefined) {
      primaries.set(toKindName(kind), { kind, reconcilers: [name] });
    } else {
      known.reconcilers.push(name);
    }
  }
  return [...primaries.values()];
}

async function resyncKind(
  options: ResyncOptions,
  primary: Primary,
  spreadSeconds: number,
): Promise<string | undefined> {
  const { watches, watchFilter, queues, log, signal } = options;
  const { kind } = primary;
  const query = { apiVersion: toApiVersion(kind), kind: kind.kind, as: 'metadata' } as const;
  let sent = 0;
  let refused: Error | undefined;
  for await (const page of pagesOf(watches, query, signal)) {
    if (!page.ok && page.failure.reason === 'NotFound') {
      log.info('Resyncing nothing, because the API server does not serve the kind', { kind: toKindName(kind) });
      return undefined;
    }
    if (!page.ok) {
      return page.failure.message;
    }
    const objects = page.value.items.filter(object => passesWatchFilter(object, watchFilter));
    const messages = objects.flatMap(object => toMessages(options, { primary, object, spreadSeconds }));
    for (const outcome of await queues.send(delayQueue, messages)) {
      if (outcome.ok) {
        sent += 1;
      } else {
        refused ??= outcome.error;
      }
    }
  }
  log.info('Resyncing objects', { kind: toKindName(kind), reconcilers: primary.reconcilers, sent });
  return refused?.message;
}

function toMessages(
  { managementCluster, newId }: ResyncOptions,
  of: { readonly primary: Primary; readonly object: Unstructured; readonly spreadSeconds: number },
): readonly OutgoingMessage[] {
  const key = toKey(managementCluster, of.primary.kind, of.object);
  const delaySeconds = toSpread(key, of.spreadSeconds);
  return of.primary.reconcilers.map(reconciler =>
    toDelayedMessage({ v: messageVersion, reconciler, key, cause: 'resync', attempt: 0, trace: newId() }, delaySeconds),
  );
}
