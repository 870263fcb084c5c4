// An object of a provider that a core object references: what was read of it, and its failure fields. Pure.
import type { Unstructured } from '@capi-serverless/apimachinery';
import { toFittingV1Beta1 } from '@capi-serverless/cluster-api/conditions';
import {
  type ContractVersion,
  type Found,
  readFailureMessage,
  readFailureReason,
} from '@capi-serverless/cluster-api/contract';
import type { ContractReference } from '../api/cluster/reader.ts';

/** What was read of a referenced object. */
export type External =
  /** The reference is not set. */
  | { readonly state: 'undefined' }
  | { readonly state: 'missing'; readonly ref: ContractReference }
  /** The object was not read: the read failed, or this pass does not need it. */
  | { readonly state: 'unreadable'; readonly ref: ContractReference; readonly error: string }
  | {
      readonly state: 'found';
      readonly ref: ContractReference;
      readonly object: Unstructured;
      readonly contract: ContractVersion;
    };

/** A referenced object that was read, and that has the owner reference of the object that references it. */
export interface InScope {
  readonly state: 'inScope';
  readonly ref: ContractReference;
  readonly object: Unstructured;
  readonly contract: ContractVersion;
}

/** The state of a referenced object for the phases of a pass. */
export type Scoped =
  | { readonly state: 'undefined' }
  | { readonly state: 'missing'; readonly ref: ContractReference }
  /** The object is neither in scope nor known to be missing. */
  | { readonly state: 'unknown'; readonly ref: ContractReference }
  | InScope;

/** The deprecated failure fields. Once set, they are never cleared. */
export interface DeprecatedFailure {
  readonly failureReason?: string;
  readonly failureMessage?: string;
}

/**
 * Copies the failure fields of the object. A field that the object does not set is absent. Longer texts than the API
 * server accepts are cut.
 */
export function failureOfObject(object: Unstructured): DeprecatedFailure {
  const reason = readFailureReason(object);
  const message = readFailureMessage(object);
  const prefix = `Failure detected from referenced resource ${describeKind(object)} with name "${object.metadata.name}"`;
  return {
    ...(isFilled(reason) ? { failureReason: toFittingV1Beta1.reason(reason.value) } : {}),
    ...(isFilled(message) ? { failureMessage: toFittingV1Beta1.message(`${prefix}: ${message.value}`) } : {}),
  };
}

/** Returns the error of a failure field with a wrong type. */
export function failureFieldsError(object: Unstructured): string | undefined {
  const fields = { failureReason: readFailureReason(object), failureMessage: readFailureMessage(object) };
  for (const [field, found] of Object.entries(fields)) {
    if (found.state === 'wrongType') {
      return `failed to determine ${field} on ${describeKind(object)} "${object.metadata.name}": ${found.error}`;
    }
  }
  return undefined;
}

function isFilled(found: Found<string>): found is { readonly state: 'value'; readonly value: string } {
  return found.state === 'value' && found.value !== '';
}

/** The name of a kind in upstream's messages. */
function describeKind({ apiVersion, kind }: Unstructured): string {
  return `${apiVersion}, Kind=${kind}`;
}
