// Reads the certificate authorities from the Secret that an annotation names. The annotation has the format of
// cert-manager. https://main.cluster-api.sigs.k8s.io/tasks/experimental/runtime-sdk/deploy-runtime-extension
import type { Answer, FailureReason, ObjectRef, Unstructured } from '@capi-serverless/apimachinery';
import { injectCaAnnotation } from '../../../shared/api/extension-config/kind.ts';
import type { ExtensionConfig } from '../../../shared/api/extension-config/reader.ts';
import { secretData } from '../../../shared/api/secret.ts';

const caKey = 'ca.crt';

/**
 * Failures that only a user can repair: the Secret is missing or forbidden, or its name is invalid. Other failures are
 * temporary.
 */
const lasting: readonly FailureReason[] = ['NotFound', 'Forbidden', 'BadRequest', 'Invalid'];

type Injection =
  /** There is no annotation, so the user sets the caBundle. */
  | { readonly state: 'none' }
  | { readonly state: 'malformed'; readonly error: string }
  | { readonly state: 'secret'; readonly ref: ObjectRef };

type CaBundle =
  /** The value is base64. "" clears the caBundle. */
  | { readonly state: 'found'; readonly caBundle: string }
  | { readonly state: 'failed'; readonly error: string; readonly isLasting: boolean };

/** Returns the Secret that the annotation names. The value of the annotation is split at the first slash. */
export function injectionOf({ metadata }: ExtensionConfig): Injection {
  const value = metadata.annotations[injectCaAnnotation];
  if (value === undefined) {
    return { state: 'none' };
  }
  const [, namespace, name] = /^([^/]+)\/(.+)$/s.exec(value) ?? [];
  return namespace === undefined || name === undefined
    ? { state: 'malformed', error: inBundle(`secret name "${value}" must be in the form <namespace>/<name>`) }
    : { state: 'secret', ref: { apiVersion: 'v1', kind: 'Secret', namespace, name } };
}

/** Returns the caBundle in the Secret. Errors have upstream's wording. */
export function readCaBundle({ namespace, name }: ObjectRef, secret: Answer<Unstructured>): CaBundle {
  const of = `${namespace}/${name}`;
  if (!secret.ok) {
    const { message, reason } = secret.failure;
    const error = inBundle(`failed to get secret "${of}": ${message}`);
    return { state: 'failed', error, isLasting: lasting.includes(reason) };
  }
  const caBundle = secretData(secret.value, caKey);
  return caBundle === undefined
    ? { state: 'failed', error: inBundle(`secret ${of} does not contain a "${caKey}" entry`), isLasting: true }
    : { state: 'found', caBundle };
}

function inBundle(problem: string): string {
  return `failed to reconcile caBundle: ${problem}`;
}
