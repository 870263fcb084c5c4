// What one run leaves to others: everything that is stored, and how the extension servers answer. Processes and messages are not
// in it; those who begin with it find a settled cluster, as after a restart of everything.
import type { Snapshot } from '../../../infra/local/apiserver/core/snapshot.ts';
import type { Instant } from '../../../shared/api/object.ts';
import type { Answered } from './extensions.ts';
import type { System } from './system.ts';

export interface World {
  readonly at: Instant;
  readonly snapshot: Snapshot;
  /** How many objects of each name there were, by kind, namespace and name. */
  readonly created: ReadonlyMap<string, number>;
  readonly answers: readonly Answered[];
}

export function toWorld({ api, extensions }: Pick<System, 'api' | 'extensions'>, at: Instant): World {
  const answers = [...extensions.answers];
  return { at, snapshot: api.core.snapshot(), created: new Map(api.created), answers };
}
