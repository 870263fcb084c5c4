// Which hooks must still be called: `runtime.cluster.x-k8s.io/pending-hooks`, sorted names between commas.
import { compareText } from '../../names/text-order.ts';
import { type AnnotationChange, type Annotations, noChange } from './annotations.ts';

export const pendingHooksAnnotation = 'runtime.cluster.x-k8s.io/pending-hooks';

/** Nothing is trimmed: `A, B` holds `A` and ` B`. */
export function pendingHooks(annotations: Annotations): ReadonlySet<string> {
  const value = annotations[pendingHooksAnnotation] ?? '';
  return new Set(value.split(',').filter(name => name !== ''));
}

export function isPending(annotations: Annotations, hook: { readonly name: string }): boolean {
  return pendingHooks(annotations).has(hook.name);
}

/** Hooks that are marked already cost no write, and nobody else's mark is lost. */
export function markPending(annotations: Annotations, hooks: readonly { readonly name: string }[]): AnnotationChange {
  const before = pendingHooks(annotations);
  const after = new Set([...before, ...hooks.map(({ name }) => name)]);
  return after.size === before.size ? noChange : toChange(after);
}

/** The last one takes the annotation with it. */
export function markDone(annotations: Annotations, hook: { readonly name: string }): AnnotationChange {
  const before = pendingHooks(annotations);
  return before.has(hook.name) ? toChange([...before].filter(name => name !== hook.name)) : noChange;
}

/** What is said when the patch of `markPending` failed. */
export function toMarkPendingError(hooks: readonly { readonly name: string }[], cause: string): string {
  return `failed to mark "${hooks.map(({ name }) => name).join(',')}" hook(s) as pending: ${cause}`;
}

/** What is said when the patch of `markDone` failed. */
export function toMarkDoneError(hook: { readonly name: string }, cause: string): string {
  return `failed to mark "${hook.name}" hook as done: ${cause}`;
}

function toChange(names: Iterable<string>): AnnotationChange {
  const value = [...names].toSorted(compareText).join(',');
  return { [pendingHooksAnnotation]: value === '' ? null : value };
}
