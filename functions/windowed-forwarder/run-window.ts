// One run: resumes every watch at the end of the previous run, enqueues the changes, and stores the new versions.

import { toDisplayName } from '@capi-serverless/apimachinery';
import { RetryableError } from '@capi-serverless/reconciler';
import { createOutbox, type OutboxOptions } from '../../shared/event-source/outbox.ts';
import { SeenVersions } from '../../shared/event-source/seen-versions.ts';
import { lists } from '../../shared/event-source/source-metrics.ts';
import { isOvertaken, stateNames, toStateRef } from '../../shared/event-source/state-config-map.ts';
import { hasMoved, readVersions, type StoredVersion, writeVersions } from './stored-versions.ts';
import { type KindOutcome, WatchWindow, type WindowOptions } from './window.ts';

interface RunWindowOptions extends WindowOptions, OutboxOptions {
  /** The namespace of the ConfigMap. */
  readonly stateNamespace: string;
  /** The versions that earlier runs of this process have forwarded. */
  readonly versions?: SeenVersions;
}

/**
 * Sends one message per changed key and stores the versions afterwards. If a run ends early, the next run reads the
 * same changes again. Runs may overlap. A failed kind does not stop the others. Afterwards a RetryableError names the
 * declared kinds that failed.
 */
export async function runWindow(options: RunWindowOptions): Promise<void> {
  const { kubernetes, signal } = options;
  const ref = toStateRef(stateNames.windowedForwarder, options);
  const stored = await readVersions(kubernetes, ref);
  if (!stored.ok) {
    throw new RetryableError(`Reading ConfigMap ${toDisplayName(ref)} failed: ${stored.failure.message}`);
  }
  const before = stored.value;
  const outbox = createOutbox(options);
  const versions = new SeenVersions(options.versions);
  const window = new WatchWindow({ ...options, versions }, before, outbox);
  const outcomes = await window.catchUp();
  signal.throwIfAborted();
  const { refused } = await outbox.send(options.log);
  if (refused !== undefined) {
    throw new RetryableError(`Sending messages failed: ${refused.message}`, { cause: refused });
  }
  versions.commit();
  const after = { settings: window.settings, versions: toVersions(outcomes) };
  const moved = hasMoved(before, after);
  const written = moved ? await writeVersions(kubernetes, ref, { before, after }) : undefined;
  report(options, { outcomes, messages: outbox.size, moved });
  if (written?.ok === false && !isOvertaken(written.failure.reason)) {
    throw new RetryableError(`Writing ConfigMap ${toDisplayName(ref)} failed: ${written.failure.message}`);
  }
  const failures = outcomes.flatMap(({ name, failure }) => (failure === undefined ? [] : [`${name}: ${failure}`]));
  if (failures.length > 0) {
    throw new RetryableError(`Reading changes failed for ${failures.join('; ')}`);
  }
}

function toVersions(outcomes: readonly KindOutcome[]): ReadonlyMap<string, StoredVersion> {
  return new Map(outcomes.flatMap(({ name, stored }) => (stored === undefined ? [] : [[name, stored] as const])));
}

function report(
  { log, metrics }: RunWindowOptions,
  {
    outcomes,
    ...of
  }: { readonly outcomes: readonly KindOutcome[]; readonly messages: number; readonly moved: boolean },
): void {
  const listed = outcomes.filter(({ isListed }) => isListed).map(({ name }) => name);
  for (const source of listed) {
    metrics.count(lists, { source });
  }
  log.info('Forwarding changes', { sources: outcomes.length, ...of, ...(listed.length === 0 ? {} : { listed }) });
}
