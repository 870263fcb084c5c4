// An extension server for a scenario, and its ExtensionConfig.
import type { Intent, Unstructured } from '@capi-serverless/apimachinery';
import { toSecretData } from '../../../shared/api/secret.ts';
import { anExtensionConfig } from '../../support/extension-config.ts';
import { anIdentity, startExtensionServer } from '../../support/extension-server.ts';
import { conditionOf } from '../../support/world-client.ts';
import { namespace, type RightsStage } from './stage.ts';

const hooks = 'hooks.runtime.cluster.x-k8s.io/v1alpha1';
const answered = { apiVersion: hooks, status: 'Success', message: '' };

export const isTrue = (type: string) => (object: Unstructured | undefined) => conditionOf(object, type) === 'True';

interface ServedHook {
  /** Name of the ExtensionConfig. */
  readonly name: string;
  readonly hook: string;
  readonly handler: string;
  readonly answer: Readonly<Record<string, unknown>>;
}

/** A server without variables. */
export const definingNothing = { hook: 'DiscoverVariables', handler: 'define', answer: { variables: [] } } as const;

/** Resolves after the discovery. Selects only this namespace. */
export async function anExtension(
  { client, atEnd }: RightsStage,
  { name, hook, handler, answer }: ServedHook,
): Promise<void> {
  const server = await startExtensionServer(await anIdentity());
  atEnd(server.close);
  const requestHook = { apiVersion: hooks, hook };
  const handlers = [{ name: handler, requestHook, timeoutSeconds: 10, failurePolicy: 'Fail' }];
  server.answer('discovery', { body: { ...answered, kind: 'DiscoveryResponse', handlers } });
  server.answer(`${hook.toLowerCase()}/${handler}`, { body: { ...answered, kind: `${hook}Response`, ...answer } });
  const secret: Intent = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name: `${name}-authority` },
    data: { 'ca.crt': toSecretData(server.ca) },
  };
  await client.create(secret);
  const config = anExtensionConfig()
    .named(name)
    .withUrl(server.url)
    .injectingCaFrom(`${namespace}/${secret.metadata.name}`)
    .withSpec({ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } });
  await client.create(config.intent());
  const { apiVersion, kind } = config.build();
  await client.until({ apiVersion, kind, name }, isTrue('Discovered'));
}
