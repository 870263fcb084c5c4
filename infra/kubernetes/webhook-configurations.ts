// The webhook configurations with which an API server calls the admission function. They have the names of upstream's, which
// they replace.
import type { Intent } from '@capi-serverless/apimachinery';
import {
  type AdmittedKind,
  admittedKinds,
  admittedVersion,
  type HookKind,
  hookName,
  hookPath,
  notBeingDeleted,
} from '../../shared/admission/hooks.ts';
import { policyKinds } from './admission-policies/policy-check.ts';

/**
 * What admission policies do for the kinds that have them: nothing, the checks, or the checks and the defaults. Their kinds
 * have no hooks for it.
 */
export type PolicyUse = (typeof policyUses)[number];

export const policyUses = ['none', 'checks', 'defaults'] as const;

interface WebhookOptions {
  /** The address of the function with the token, without a slash at its end. */
  readonly url: string;
  /** The PEM of the certificate authority. `undefined`: the API server uses those of its system. */
  readonly certificateAuthority: string | undefined;
  readonly failurePolicy: 'Fail' | 'Ignore';
  /** Default: `none`. */
  readonly policies?: PolicyUse;
}

/** The fields that its users read. */
export interface WebhookConfiguration extends Intent {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly webhooks: readonly Hook[];
}

interface Hook extends Readonly<Record<string, unknown>> {
  readonly name: string;
  readonly clientConfig: { readonly url: string; readonly caBundle?: string };
  readonly failurePolicy: string;
  readonly rules: readonly HookRule[];
}

interface HookRule {
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly resources: readonly string[];
  readonly operations: readonly string[];
}

/** The default of Kubernetes. Hooks of Clusters may wait two seconds for their ClusterClass. */
const timeoutSeconds = 10;

/** Returns a MutatingWebhookConfiguration and a ValidatingWebhookConfiguration. */
export function toWebhookConfigurations(options: WebhookOptions): readonly WebhookConfiguration[] {
  const { policies = 'none' } = options;
  const without = (leftOut: boolean) =>
    admittedKinds.filter(({ kind }) => !leftOut || !Object.hasOwn(policyKinds, kind));
  const defaulted = without(policies === 'defaults').filter(({ hasDefaults }) => hasDefaults);
  return [
    toConfiguration('mutate', options, defaulted),
    toConfiguration('validate', options, without(policies !== 'none')),
  ];
}

const kindOf = { mutate: 'MutatingWebhookConfiguration', validate: 'ValidatingWebhookConfiguration' } as const;
const nameOf = {
  mutate: 'capi-mutating-webhook-configuration',
  validate: 'capi-validating-webhook-configuration',
} as const;

function toConfiguration(
  hook: HookKind,
  options: WebhookOptions,
  kinds: readonly AdmittedKind[],
): WebhookConfiguration {
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
): Hook {
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
