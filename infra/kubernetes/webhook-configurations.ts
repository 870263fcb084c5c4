// The webhook configurations with which an API server calls the admission function. They have the names of upstream's, which
// they replace.
import {
  type AdmittedKind,
  admittedKinds,
  admittedVersion,
  type HookKind,
  hookName,
  hookPath,
} from '../../shared/admission/hooks.ts';

interface WebhookOptions {
  /** The address of the function with the token, without a slash at its end. */
  readonly url: string;
  /** The PEM of the certificate authority. `undefined`: the API server uses those of its system. */
  readonly certificateAuthority: string | undefined;
  readonly failurePolicy: 'Fail' | 'Ignore';
}

/** The default of Kubernetes. Hooks of Clusters may wait two seconds for their ClusterClass. */
const timeoutSeconds = 10;

/** Finalizers of an object that is being deleted can be removed while the function does not answer. */
const notBeingDeleted = {
  name: 'not-being-deleted',
  expression: 'request.operation != "UPDATE" || !has(oldObject.metadata.deletionTimestamp)',
};

/** Returns a MutatingWebhookConfiguration and a ValidatingWebhookConfiguration. */
export function toWebhookConfigurations(options: WebhookOptions): readonly object[] {
  return [
    toConfiguration(
      'mutate',
      options,
      admittedKinds.filter(({ hasDefaults }) => hasDefaults),
    ),
    toConfiguration('validate', options, admittedKinds),
  ];
}

const kindOf = { mutate: 'MutatingWebhookConfiguration', validate: 'ValidatingWebhookConfiguration' } as const;
const nameOf = {
  mutate: 'capi-mutating-webhook-configuration',
  validate: 'capi-validating-webhook-configuration',
} as const;

function toConfiguration(hook: HookKind, options: WebhookOptions, kinds: readonly AdmittedKind[]): object {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: kindOf[hook],
    metadata: { name: nameOf[hook], labels: { 'cluster.x-k8s.io/provider': 'cluster-api' } },
    webhooks: kinds.map(of => toWebhook(hook, options, of)),
  };
}

function toWebhook(
  hook: HookKind,
  { url, certificateAuthority, failurePolicy }: WebhookOptions,
  of: AdmittedKind,
): object {
  const caBundle =
    certificateAuthority === undefined ? {} : { caBundle: Buffer.from(certificateAuthority).toString('base64') };
  const deletes = hook === 'validate' && of.checksDeletes ? ['DELETE'] : [];
  return {
    name: hookName(hook, of),
    admissionReviewVersions: ['v1'],
    clientConfig: { url: `${url}${hookPath(hook, of)}`, ...caBundle },
    failurePolicy,
    matchConditions: [notBeingDeleted],
    matchPolicy: 'Equivalent',
    rules: [
      {
        apiGroups: [of.group],
        apiVersions: [admittedVersion],
        operations: ['CREATE', 'UPDATE', ...deletes],
        resources: [of.plural],
      },
    ],
    sideEffects: 'None',
    timeoutSeconds,
  };
}
