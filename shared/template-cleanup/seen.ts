// The result of observe for a MachineDeployment or a MachineSet of a managed topology.
import type { ApiFailure, Checked, ObjectRef, Unstructured } from '@capi-serverless/apimachinery';

/** An object that is deleted together with the MachineDeployment or MachineSet. */
export interface Dependent {
  readonly ref: ObjectRef;
  readonly uid: string;
}

export type TemplateCleanupSeen =
  /** The finalizer is missing. */
  | { readonly step: 'addFinalizer'; readonly object: Unstructured; readonly finalizer: string }
  /**
   * The object is being deleted. `dependents` are the remaining ones, or the reason why they could not be determined.
   */
  | {
      readonly step: 'cleanUp';
      readonly object: Unstructured;
      readonly finalizer: string;
      readonly dependents: Checked<readonly Dependent[]>;
    };

/** The error of a request: the operation, and the answer. */
export function failureText(what: string, failure: ApiFailure): string {
  return `${what}: ${failure.message}`;
}
