// Calls the server's admission before and after validation, also for dry runs.
import type { UndecidedWrite } from './admission.ts';
import type { Context } from './context.ts';
import type { ObjectDraft } from './object.ts';

/** Returns the object to validate. Throws StatusError on denial. */
export function mutateWrite(context: Context, request: UndecidedWrite & { readonly object: ObjectDraft }): ObjectDraft {
  return context.mutate?.({ ...request, dryRun: context.write?.dryRun === true }) ?? request.object;
}

/**
 * Returns the object from admission that replaces the written one, or `undefined` for the written object. Throws
 * StatusError on denial.
 */
export function admitWrite(context: Context, request: UndecidedWrite): ObjectDraft | undefined {
  return context.admit?.(
    { ...request, dryRun: context.write?.dryRun === true },
    {
      list(apiVersion, kind) {
        const resource = context.registry.ofGroupKind(apiVersion, kind);
        return resource === undefined ? [] : context.store.list(resource);
      },
      warn(text) {
        context.write?.onWarning?.(text);
      },
    },
  );
}
