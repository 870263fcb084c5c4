// Built-in kinds have types. A body with wrong types or formats cannot be decoded, and the error names no field.
import type { ResourceEndpoint } from './kinds.ts';
import type { ObjectDraft } from './object.ts';
import { badRequest, patchInvalid, type StatusError } from './status.ts';

/** `patched`: the object is the result of a patch. It is refused as Invalid instead of BadRequest. */
export function checkTypedBody({ resource, version }: ResourceEndpoint, draft: ObjectDraft, patched = false): void {
  const [problem] = resource.custom ? [] : (version.schema?.problems(draft) ?? []);
  if (problem !== undefined) {
    const refuse: (message: string) => StatusError = patched ? patchInvalid : badRequest;
    throw refuse(
      `${resource.kind} in version "${version.name}" cannot be handled as a ${resource.kind}: ${problem.message}`,
    );
  }
}
