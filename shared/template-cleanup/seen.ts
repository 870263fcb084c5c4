// What is known of a MachineDeployment or a MachineSet of a managed topology, for those who clean up after it.
import type { ApiFailure } from '../api/answer.ts';
import type { Checked } from '../api/checked.ts';
import type { ObjectRef, Unstructured } from '../api/object.ts';

/** Something that goes with the object; what is gone already is not among them. */
export interface Doomed {
  readonly ref: ObjectRef;
  readonly uid: string;
}

export type Seen =
  /** It is not held yet. */
  | { readonly step: 'hold'; readonly object: Unstructured; readonly finalizer: string }
  /** It is being deleted; the error says why it is not known what goes with it. */
  | {
      readonly step: 'release';
      readonly object: Unstructured;
      readonly finalizer: string;
      readonly doomed: Checked<readonly Doomed[]>;
    };

/** What was asked of which object, and what came back. */
export function failureText(what: string, failure: ApiFailure): string {
  return `${what}: ${failure.message}`;
}
