// Looks for admission policies before a take-over leaves out the webhooks of their kinds.
import type { Reads } from '@capi-serverless/apimachinery';
import { defaultPolicies } from '../../infra/kubernetes/admission-policies/default-policies.ts';
import { kindPolicies } from '../../infra/kubernetes/admission-policies/policy-manifests.ts';
import type { PolicyUse } from '../../infra/kubernetes/webhook-configurations.ts';
import { readIfPresent } from '../read-object.ts';

/**
 * Returns the problem, or `undefined` if all bindings exist that do not depend on feature gates. Throws UsageError if one
 * cannot be read.
 */
export async function missingPolicies(client: Pick<Reads, 'get'>, use: PolicyUse): Promise<string | undefined> {
  const bindings = [
    ...(use === 'none' ? [] : kindPolicies.flatMap(each => each.bindings)),
    ...(use === 'defaults' ? defaultPolicies.flatMap(([, manifests]) => manifests.slice(1)) : []),
  ];
  const missing = await Promise.all(
    bindings.map(async ({ apiVersion, kind, metadata: { name } }) =>
      (await readIfPresent(client, { apiVersion, kind, name })) === undefined ? [`${kind} ${name}`] : [],
    ),
  );
  const [first, ...more] = missing.flat();
  const others = more.length === 0 ? '' : ` and ${more.length} more`;
  return first === undefined
    ? undefined
    : `${first}${others} do not exist, so writes would not be checked. Apply infra/kubernetes/policies first`;
}
