// Checks at start whether the user has the permissions that the reconcilers need. A missing permission fails the start.

import { isJsonObject, type Kubernetes, pluralOf, withoutUndefined } from '@capi-serverless/apimachinery';
import type { Declaration, PolicyRule } from '@capi-serverless/reconciler';

interface Right {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
}

/** The missing permissions, for example `patch clusters.cluster.x-k8s.io/status`. Empty if all are granted. */
export async function missingRights(
  kubernetes: Pick<Kubernetes, 'create'>,
  declarations: readonly Declaration[],
): Promise<readonly string[]> {
  const wanted = new Map(
    declarations
      .flatMap(declaration => [...declaration.rules.flatMap(rightsOf), ...watchingRights(declaration)])
      .map(right => [toText(right), right]),
  );
  const answers = await Promise.all(
    [...wanted].map(async ([text, right]) => ((await isAllowed(kubernetes, right)) ? undefined : text)),
  );
  return answers.filter(text => text !== undefined);
}

function rightsOf(rule: PolicyRule): readonly Right[] {
  return rule.apiGroups.flatMap(group =>
    rule.resources.flatMap(resource => rule.verbs.map(verb => ({ verb, group, resource }))),
  );
}

/** The forwarder needs watch, the resync needs list. Kinds that Clusters reference are not known yet. */
function watchingRights({ primary, watches }: Declaration): readonly Right[] {
  const kinds = [primary, ...watches.flatMap(({ source }) => (source === 'referenced' ? [] : [source]))];
  return kinds.flatMap(({ group, kind }) => ['list', 'watch'].map(verb => ({ verb, group, resource: pluralOf(kind) })));
}

function toText({ verb, group, resource }: Right): string {
  const [plural, subresource] = resource.split('/');
  return `${verb} ${plural}${group === '' ? '' : `.${group}`}${subresource === undefined ? '' : `/${subresource}`}`;
}

/** If an access review fails, the permission is treated as granted. The first refused request reports it. */
async function isAllowed(kubernetes: Pick<Kubernetes, 'create'>, { verb, group, resource }: Right): Promise<boolean> {
  const [plural, subresource] = resource.split('/');
  const answer = await kubernetes.create({
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    metadata: { name: '' },
    spec: {
      resourceAttributes: { verb, group, resource: plural, ...withoutUndefined({ subresource }) },
    },
  });
  const status = answer.ok ? answer.value.status : undefined;
  return !isJsonObject(status) || status['allowed'] !== false;
}
