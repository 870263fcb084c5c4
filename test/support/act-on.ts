// Performs actions on an API server in memory, as the kernel does in one pass.

import type { Action, Outcomes } from '@capi-serverless/reconciler';
import { act } from '../../packages/reconciler/act.ts';
import type { MemoryApi } from './memory-api.ts';

export function actOn({ kubernetes, clock }: MemoryApi, actions: readonly Action[]): ReturnType<typeof act> {
  const { signal } = new AbortController();
  return act({ kubernetes, fieldManager: 'capi-serverless', clock, signal }, actions);
}

/** The state of each action by its id. */
export function statesOf(outcomes: Outcomes): Readonly<Record<string, string>> {
  return Object.fromEntries([...outcomes].map(([id, { state }]) => [id, state]));
}
