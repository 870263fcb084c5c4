// The hooks that must still be called: `runtime.cluster.x-k8s.io/pending-hooks`, sorted names separated by commas.
import { compareText } from '@capi-serverless/apimachinery';
import { type AnnotationChange, type Annotations, noChange } from './annotations.ts';

export const pendingHooksAnnotation = 'runtime.cluster.x-k8s.io/pending-hooks';

/** As in upstream, names are not trimmed: `A, B` contains `A` and ` B`. */
function pendingHooks(annotations: Annotations): ReadonlySet<string> {
  const value = annotations[pendingHooksAnnotation] ?? '';
  return new Set(value.split(',').filter(name => name !== ''));
}

export function isPending(annotations: Annotations, hook: { readonly name: string }): boolean {
  return pendingHooks(annotations).has(hook.name);
}

/** Hooks that are already marked cause no write. Other names are kept. */
export function markPending(annotations: Annotations, hooks: readonly { readonly name: string }[]): AnnotationChange {
  const before = pendingHooks(annotations);
  const after = new Set([...before, ...hooks.map(({ name }) => name)]);
  return after.size === before.size ? noChange : toChange(after);
}

/** The removal of the last name removes the annotation. */
export function markDone(annotations: Annotations, hook: { readonly name: string }): AnnotationChange {
  const before = pendingHooks(annotations);
  return before.has(hook.name) ? toChange([...before].filter(name => name !== hook.name)) : noChange;
}

function toChange(names: Iterable<string>): AnnotationChange {
  const value = [...names].toSorted(compareText).join(',');
  return { [pendingHooksAnnotation]: value === '' ? null : value };
}
