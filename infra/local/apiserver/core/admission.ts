// The place where a server's admission decides: after validation, before anything is stored; dry runs are decided too.
import type { Unstructured } from '../../../../shared/api/object.ts';
import type { Context } from './context.ts';
import type { Resource } from './kinds.ts';
import type { Draft, Stored } from './object.ts';

/** One write of a main resource, in the storage version. */
export type AdmissionRequest = {
  readonly resource: Pick<Resource, 'group' | 'kind' | 'plural'>;
  readonly name: string;
  /** Whatever is decided, nothing is stored. */
  readonly dryRun: boolean;
} & Write;

type Write =
  | { readonly operation: 'CREATE'; readonly object: Draft }
  | { readonly operation: 'UPDATE'; readonly object: Draft; readonly old: Stored }
  | { readonly operation: 'DELETE'; readonly old: Stored };

type Undecided = Pick<AdmissionRequest, 'resource' | 'name'> & Write;

export interface AdmissionReads {
  /** All stored objects of the kind, in every namespace; none where it is not served. */
  list(apiVersion: string, kind: string): readonly Unstructured[];
  /** Tells the writer, whatever becomes of the write. */
  warn(text: string): void;
}

/** Throws StatusError when the write is denied. Answers what is to be stored instead of the object; `undefined`: the object. */
export type Admit = (request: AdmissionRequest, reads: AdmissionReads) => Draft | undefined;

export function admitWrite(context: Context, request: Undecided): Draft | undefined {
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
