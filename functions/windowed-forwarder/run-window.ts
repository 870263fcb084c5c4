// One run: resumes every watch where the run before left it, tells what changed, and remembers how far it got.
import { toDisplayName } from '../../shared/api/object.ts';
import { lists } from '../../shared/event-source/metrics.ts';
import type { Clock } from '../../shared/kernel/clock.ts';
import { RetryableError } from '../../shared/kernel/errors.ts';
import { Parcel, type SendOptions } from './parcel.ts';
import { hasMoved, type Place, readVersions, toConfigMapRef, writeVersions } from './stored-versions.ts';
import { type Outcome, Window, type WindowOptions } from './window.ts';

export interface RunOptions extends WindowOptions, Omit<SendOptions, 'now'> {
  /** Where the ConfigMap is. */
  readonly stateNamespace: string;
  readonly clock: Clock;
}

/**
 * Sends one message per key that something changed for, and only then stores the versions: whatever ends a run early, the
 * next one sees the same changes again. Runs may overlap. A kind that fails holds up no other; in the end a RetryableError
 * names the declared ones that failed.
 */
export async function runWindow(options: RunOptions): Promise<void> {
  const { kubernetes, signal, clock } = options;
  const ref = toConfigMapRef(options.stateNamespace, options.watchFilter);
  const stored = await readVersions(kubernetes, ref);
  if (!stored.ok) {
    throw new RetryableError(`Reading ConfigMap ${toDisplayName(ref)} failed: ${stored.failure.message}`);
  }
  const before = stored.value;
  const parcel = new Parcel();
  const window = new Window(options, before, parcel);
  const outcomes = await window.catchUp();
  signal.throwIfAborted();
  const refused = await parcel.send({ ...options, now: clock.now() });
  if (refused !== undefined) {
    throw new RetryableError(`Sending what changed failed: ${refused.message}`, { cause: refused });
  }
  const after = { settings: window.settings, places: toPlaces(outcomes) };
  const moved = hasMoved(before, after);
  const written = moved ? await writeVersions(kubernetes, ref, { before, after }) : undefined;
  report(options, { outcomes, messages: parcel.size, moved });
  if (written?.ok === false && !isOvertaken(written.failure.reason)) {
    throw new RetryableError(`Writing ConfigMap ${toDisplayName(ref)} failed: ${written.failure.message}`);
  }
  const failures = outcomes.flatMap(({ name, failure }) => (failure === undefined ? [] : [`${name}: ${failure}`]));
  if (failures.length > 0) {
    throw new RetryableError(`Looking for changes failed for ${failures.join('; ')}`);
  }
}

/** Another run wrote its own versions, for which it had sent everything: either run's versions are safe to go on from. */
function isOvertaken(reason: string): boolean {
  return reason === 'Conflict' || reason === 'AlreadyExists';
}

function toPlaces(outcomes: readonly Outcome[]): ReadonlyMap<string, Place> {
  return new Map(outcomes.flatMap(({ name, place }) => (place === undefined ? [] : [[name, place] as const])));
}

function report(
  { log, metrics }: RunOptions,
  { outcomes, ...of }: { readonly outcomes: readonly Outcome[]; readonly messages: number; readonly moved: boolean },
): void {
  const listed = outcomes.filter(({ isListed }) => isListed).map(({ name }) => name);
  for (const source of listed) {
    metrics.count(lists, { source });
  }
  log.info('Forwarding what changed', { sources: outcomes.length, ...of, ...(listed.length === 0 ? {} : { listed }) });
}
