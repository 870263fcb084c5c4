// The stored state after a run: all objects, and the answers of extension servers. It contains no processes and
// messages, so a run that begins with it starts with a settled cluster.

import type { Instant } from '@capi-serverless/apimachinery';
import type { StoreSnapshot } from '@capi-serverless/apiserver/snapshot';
import type { Resource } from '../../../packages/apiserver/core/kinds.ts';
import type { ExtensionAnswer } from './extensions.ts';
import type { System } from './system.ts';

export interface SimulatedWorld {
  readonly at: Instant;
  readonly snapshot: StoreSnapshot;
  /** The number of objects with each name, by kind, namespace and name. */
  readonly created: ReadonlyMap<string, number>;
  readonly answers: readonly ExtensionAnswer[];
  /** Kinds in addition to the usual built-in kinds. All of them are watched. Default: none. */
  readonly kinds?: readonly Resource[];
}

export function toWorld({ api, extensions }: Pick<System, 'api' | 'extensions'>, at: Instant): SimulatedWorld {
  const answers = [...extensions.answers];
  return { at, snapshot: api.core.snapshot(), created: new Map(api.created), answers };
}
