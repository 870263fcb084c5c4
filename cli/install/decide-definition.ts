// Which form of a definition is installed. A version that is in use is never removed. Pure.
import type { Intent, Unstructured } from '@capi-serverless/apimachinery';
import { withOlderVersions } from '../../infra/kubernetes/versioned-definition.ts';
import { coreCrds } from '../../shared/api/crds.ts';
import type { CustomResourceDefinition } from '../../shared/api/schema/definition.ts';
import { findConvertible } from '../../shared/conversion/kinds.ts';
import { definitionSchema } from '../webhooks/switch-conversion.ts';
import { isTakenOver, type WebhookClient } from '../webhooks/switches.ts';

export type DecidedDefinition = { readonly wanted: Intent } | { readonly refused: string };

/**
 * `existing` is the definition in the cluster. `address` is how an API server calls the conversion function; without it,
 * the address of the existing definition is kept.
 */
export function decideDefinition(
  crd: CustomResourceDefinition,
  existing: Unstructured | undefined,
  address: WebhookClient | undefined,
): DecidedDefinition {
  if (existing === undefined) {
    return { wanted: withVersions(crd, address) };
  }
  const { spec, status } = definitionSchema.parse(existing);
  const client: WebhookClient = spec.conversion.webhook?.clientConfig ?? {};
  if (isTakenOver(existing)) {
    return { refused: "was installed with upstream's manager, and taken over from it" };
  }
  if (client.service !== undefined) {
    const { namespace, name } = client.service;
    return { refused: `is converted by Service ${namespace}/${name} of upstream's manager` };
  }
  const wanted = withVersions(crd, address ?? (client.url === undefined ? undefined : client));
  const kept = definitionSchema.parse(wanted).spec.versions.map(({ name }) => name);
  const present = new Set([...spec.versions.map(({ name }) => name), ...status.storedVersions]);
  const lost = [...present].filter(name => !kept.includes(name));
  return lost.length === 0 ? { wanted } : { refused: whyLost(crd, lost) };
}

/** Returns the definition of a core kind that this manifest contains, or `undefined`. */
export function coreDefinitionOf({ kind, metadata: { name } }: Intent): CustomResourceDefinition | undefined {
  return coreCrds.find(crd => crd.kind === kind && crd.metadata.name === name);
}

/** Returns the definition with its older versions, if there is an address to convert them. */
export function withVersions(crd: CustomResourceDefinition, client: WebhookClient | undefined): Intent {
  return client === undefined ? crd : withOlderVersions(crd, client);
}

function whyLost({ spec: { group, names } }: CustomResourceDefinition, lost: readonly string[]): string {
  const known = findConvertible(group, names.kind)?.olderVersions ?? [];
  const versions = `has ${lost.join(', ')}, which would be removed`;
  return lost.every(name => known.includes(name)) ? `${versions} without --conversion-url URL` : versions;
}
