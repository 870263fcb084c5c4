// The rules of one kind: its defaults, and the reasons for which a write is refused. They are those of Cluster API's
// webhooks. https://cluster-api.sigs.k8s.io/developer/providers/contracts/overview
import type { Checked, FieldError, JsonObject } from '@capi-serverless/apimachinery';

/** The feature gates that change rules, with upstream's names in camel case. */
export interface RuleGates {
  readonly machinePool: boolean;
  readonly machineSetPreflightChecks: boolean;
  readonly taintPropagation: boolean;
}

/** The claim of an IPAddress: an object, `absent`, or the error of the read. */
export type FoundClaim =
  | 'absent'
  | { readonly object: JsonObject; readonly error?: never }
  | { readonly object?: never; readonly error: string };

/** A create or an update of the main resource, in the storage version. */
export interface CheckedWrite {
  readonly object: JsonObject;
  /** The stored object. `undefined` if the object is created. */
  readonly old: JsonObject | undefined;
  readonly gates: RuleGates;
  /** Read only if an IPAddress is created. */
  readonly claim?: FoundClaim;
}

/**
 * `Invalid` has one cause for each error, and the object in its message. `Forbidden` is only a text.
 */
export type Denial =
  | { readonly reason: 'Invalid'; readonly errors: readonly FieldError[] }
  | { readonly reason: 'Forbidden'; readonly message: string };

export interface KindRules {
  readonly group: string;
  readonly kind: string;
  /** Returns the object with its defaults, or the reason why they cannot be found. Absent: the kind has no defaults. */
  readonly defaults?: (change: CheckedWrite) => Checked<JsonObject>;
  /** Returns the reason why an object with its defaults is refused, or `undefined`. */
  readonly denialOf: (change: CheckedWrite) => Denial | undefined;
}

/** Returns `undefined` without errors. */
export function invalidUnlessEmpty(errors: readonly FieldError[]): Denial | undefined {
  return errors.length === 0 ? undefined : { reason: 'Invalid', errors };
}
