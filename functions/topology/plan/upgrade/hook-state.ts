// The lifecycle hooks of one pass: answers, hooks that must still be called, and the blocking time of each hook. The
// pass writes these together.
import {
  type AnnotationChange,
  type Annotations,
  noChange,
  withChange,
} from '../../../../shared/runtime-hooks/rules/annotations.ts';
import { type Blocks, readBlocks, storeBlocks } from '../../../../shared/runtime-hooks/rules/blocks.ts';
import type { HookResponses, RetryResponse } from '../../../../shared/runtime-hooks/rules/hook.ts';
import { isPending, markDone, markPending } from '../../../../shared/runtime-hooks/rules/pending-hooks.ts';
import { upgradeStepAnnotation } from '../../../../shared/topology/model/keys.ts';

interface Named {
  readonly name: string;
}

export interface HookState {
  /** The annotations as they were read. */
  readonly stored: Annotations;
  /** The stored annotations with the hooks that this pass adds. */
  readonly marked: Annotations;
  /** Hooks that must be called after a step that this pass starts, and the version of the step. */
  readonly start?: { readonly hooks: readonly Named[]; readonly version: string };
  readonly blocks: Blocks;
  readonly responses: HookResponses;
  /** The exact blocking time of each hook. */
  readonly waitsMs: ReadonlyMap<string, number>;
}

export function readHookState(annotations: Annotations): HookState {
  return {
    stored: annotations,
    marked: annotations,
    blocks: readBlocks(annotations),
    responses: new Map(),
    waitsMs: new Map(),
  };
}

/** Returns whether a hook must still be called. */
export function isMarked(hookState: HookState, hook: Named): boolean {
  return isPending(hookState.marked, hook) || (hookState.start?.hooks.some(({ name }) => name === hook.name) ?? false);
}

export function withMarks(hookState: HookState, ...hooks: readonly Named[]): HookState {
  return { ...hookState, marked: withChange(hookState.marked, markPending(hookState.marked, hooks)) };
}

export function withoutMarks(hookState: HookState, ...hooks: readonly Named[]): HookState {
  const marked = hooks.reduce(
    (annotations, hook) => withChange(annotations, markDone(annotations, hook)),
    hookState.marked,
  );
  return { ...hookState, marked };
}

/** The step begins with the write of the control plane object. Its hook annotations must be written first. */
export function withStart(hookState: HookState, version: string, hooks: readonly Named[]): HookState {
  return { ...hookState, start: { version, hooks } };
}

/** Adds the answer of a hook in this pass. */
export function withAnswer(
  hookState: HookState,
  hook: Named,
  { response, waitMs }: { readonly response: RetryResponse; readonly waitMs: number },
): HookState {
  return {
    ...hookState,
    responses: new Map(hookState.responses).set(hook.name, response),
    waitsMs: new Map(hookState.waitsMs).set(hook.name, waitMs),
  };
}

/** Returns whether a hook requested a retry in this pass. */
export function isBlocking({ responses }: Pick<HookState, 'responses'>, hook: Named): boolean {
  return (responses.get(hook.name)?.retryAfterSeconds ?? 0) !== 0;
}

/**
 * Returns the annotations to write before any object. 'whole': the pass continues to write objects. 'withoutStart': the
 * pass writes no objects, so its next step has not begun.
 */
export function toBookkeeping(hookState: HookState, extent: 'whole' | 'withoutStart'): AnnotationChange {
  const { start } = extent === 'whole' ? hookState : { start: undefined };
  const marked = start === undefined ? hookState.marked : withMarks(hookState, ...start.hooks).marked;
  const step = start === undefined ? {} : { [upgradeStepAnnotation]: start.version };
  return {
    ...difference(hookState.stored, { ...marked, ...step }),
    ...storeBlocks(hookState.stored, hookState.blocks),
  };
}

function difference(before: Annotations, after: Annotations): AnnotationChange {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed = [...keys].filter(key => before[key] !== after[key]);
  return changed.length === 0 ? noChange : Object.fromEntries(changed.map(key => [key, after[key] ?? null]));
}
