// What one pass learns from lifecycle hooks and owes to them: answers, marks of hooks still to be called, and since when
// a hook asked to be left alone. Nothing here is written at once: the pass writes all of it together.
import {
  type AnnotationChange,
  type Annotations,
  noChange,
  withChange,
} from '../../runtime-hooks/rules/annotations.ts';
import { type Blocks, readBlocks, storeBlocks } from '../../runtime-hooks/rules/blocks.ts';
import type { RetryResponse } from '../../runtime-hooks/rules/hook.ts';
import { isPending, markDone, markPending } from '../../runtime-hooks/rules/pending-hooks.ts';
import { upgradeStepAnnotation } from '../model/keys.ts';
import type { HookResponses } from '../model/versions.ts';

interface Named {
  readonly name: string;
}

export interface HookBook {
  /** As they were read. */
  readonly stored: Annotations;
  /** The same with the marks of this pass. */
  readonly marked: Annotations;
  /** Hooks that must be called after a step that this pass starts, and the version of the step. */
  readonly start?: { readonly hooks: readonly Named[]; readonly version: string };
  readonly blocks: Blocks;
  readonly responses: HookResponses;
  /** By hook, exactly how long it blocks. */
  readonly waitsMs: ReadonlyMap<string, number>;
}

export function openBook(annotations: Annotations): HookBook {
  return {
    stored: annotations,
    marked: annotations,
    blocks: readBlocks(annotations),
    responses: new Map(),
    waitsMs: new Map(),
  };
}

/** Whether a hook still has to be called. */
export function isMarked(book: HookBook, hook: Named): boolean {
  return isPending(book.marked, hook) || (book.start?.hooks.some(({ name }) => name === hook.name) ?? false);
}

export function withMarks(book: HookBook, ...hooks: readonly Named[]): HookBook {
  return { ...book, marked: withChange(book.marked, markPending(book.marked, hooks)) };
}

export function withoutMarks(book: HookBook, ...hooks: readonly Named[]): HookBook {
  const marked = hooks.reduce((annotations, hook) => withChange(annotations, markDone(annotations, hook)), book.marked);
  return { ...book, marked };
}

/** The step begins with the write of the control plane object, and its marks must be there before. */
export function withStart(book: HookBook, version: string, hooks: readonly Named[]): HookBook {
  return { ...book, start: { version, hooks } };
}

/** What a hook answered in this pass. */
export function withAnswer(
  book: HookBook,
  hook: Named,
  { response, waitMs }: { readonly response: RetryResponse; readonly waitMs: number },
): HookBook {
  return {
    ...book,
    responses: new Map(book.responses).set(hook.name, response),
    waitsMs: new Map(book.waitsMs).set(hook.name, waitMs),
  };
}

/** Whether a hook asked in this pass to be called again. */
export function isBlocking({ responses }: Pick<HookBook, 'responses'>, hook: Named): boolean {
  return (responses.get(hook.name)?.retryAfterSeconds ?? 0) !== 0;
}

/** The soonest wish to be called again, in whole seconds as it was uttered; undefined when no hook blocks. */
export function retryAfterSeconds({ responses }: Pick<HookBook, 'responses'>): number | undefined {
  const waits = [...responses.values()].map(response => response.retryAfterSeconds).filter(seconds => seconds !== 0);
  return waits.length === 0 ? undefined : Math.min(...waits);
}

/**
 * What has to be written, before any object is. 'whole': the pass goes on to write objects. 'withoutStart': it does not, so
 * that a step which it would have started has not begun.
 */
export function toBookkeeping(book: HookBook, extent: 'whole' | 'withoutStart'): AnnotationChange {
  const { start } = extent === 'whole' ? book : { start: undefined };
  const marked = start === undefined ? book.marked : withMarks(book, ...start.hooks).marked;
  const step = start === undefined ? {} : { [upgradeStepAnnotation]: start.version };
  return {
    ...difference(book.stored, { ...marked, ...step }),
    ...storeBlocks(book.stored, book.blocks),
  };
}

function difference(before: Annotations, after: Annotations): AnnotationChange {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed = [...keys].filter(key => before[key] !== after[key]);
  return changed.length === 0 ? noChange : Object.fromEntries(changed.map(key => [key, after[key] ?? null]));
}
