// Looks for admission policies before a take-over leaves out the webhooks of their kinds.
import type { Answer, ObjectRef } from '@capi-serverless/apimachinery';
import { defaultPolicies } from '../../infra/kubernetes/admission-policies/default-policies.ts';
import { kindPolicies } from '../../infra/kubernetes/admission-policies/policy-manifests.ts';
import type { PolicyUse } from '../../infra/kubernetes/webhook-configurations.ts';
import { UsageError } from '../../local/usage-error.ts';

interface Reader {
  get(ref: ObjectRef): Promise<Answer<unknown>>;
}

/**
 * Returns the problem, or `undefined` if all bindings exist that do not depend on feature gates. Throws UsageError if one
 * cannot be read.
 */
export async function missingPolicies(client: Reader, use: PolicyUse): Promise<string | undefined> {
  const bindings = [
    ...(use === 'none' ? [] : kindPolicies.flatMap(each => each.bindings)),
    ...(use === 'defaults' ? defaultPolicies.flatMap(([, manifests]) => manifests.slice(1)) : []),
  ];
  const missing = await Promise.all(
    bindings.map(async ({ apiVersion, kind, metadata: { name } }) => {
      const answer = await client.get({ apiVersion, kind, name });
      if (!answer.ok && !answer.missing) {
        throw new UsageError(`${kind} ${name} cannot be read: ${answer.failure.message}`);
      }
      return answer.ok ? [] : [`${kind} ${name}`];
    }),
  );
  const [first, ...more] = missing.flat();
  const others = more.length === 0 ? '' : ` and ${more.length} more`;
  return first === undefined
    ? undefined
    : `${first}${others} do not exist, so writes would not be checked. Apply infra/kubernetes/policies first`;
}
