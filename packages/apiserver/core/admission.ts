// The request and the response of a server's admission.
import type { Unstructured } from '@capi-serverless/apimachinery';
import type { Resource } from './kinds.ts';
import type { ObjectDraft, Stored } from './object.ts';

/** One write of a main resource, in the storage version. */
export type AdmissionRequest = {
  readonly resource: Pick<Resource, 'group' | 'kind' | 'plural'>;
  readonly name: string;
  /** A dry run stores nothing, even if admission changes the object. */
  readonly dryRun: boolean;
} & Write;

type Write =
  | { readonly operation: 'CREATE'; readonly object: ObjectDraft }
  | { readonly operation: 'UPDATE'; readonly object: ObjectDraft; readonly old: Stored }
  | { readonly operation: 'DELETE'; readonly old: Stored };

/** A write before its dry-run flag is known. */
export type UndecidedWrite = Pick<AdmissionRequest, 'resource' | 'name'> & Write;

export interface AdmissionReads {
  /** Returns all stored objects of the kind in all namespaces. Empty if the kind is not served. */
  list(apiVersion: string, kind: string): readonly Unstructured[];
  /** Returns a warning to the client, also if the write is denied. */
  warn(text: string): void;
}

/**
 * Called for each create and update of a main resource before the object is validated. Throws StatusError to deny the
 * write. Returns the object with its defaults. `undefined` keeps the written object.
 */
export type Mutate = (request: AdmissionRequest) => ObjectDraft | undefined;

/** Called after the validation. Throws StatusError to deny the write. Returns the object to store. `undefined` stores the written object. */
export type Admit = (request: AdmissionRequest, reads: AdmissionReads) => ObjectDraft | undefined;
