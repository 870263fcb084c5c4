// The kind ExtensionConfig and its annotations.
import type { Kind } from '@capi-serverless/apimachinery';

export const runtimeGroup = 'runtime.cluster.x-k8s.io';

export const extensionConfigKind = {
  group: runtimeGroup,
  version: 'v1beta2',
  kind: 'ExtensionConfig',
  scope: 'Cluster',
} as const satisfies Kind;

/** The value `<namespace>/<name>` names the Secret whose `ca.crt` becomes the caBundle. */
export const injectCaAnnotation = 'runtime.cluster.x-k8s.io/inject-ca-from-secret';
