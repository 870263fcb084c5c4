// What makes the roles around ClusterClasses need their rights: an extension server, who asks it, and the templates of a class.
import type { Intent, Unstructured } from '../../../shared/api/object.ts';
import { toSecretData } from '../../../shared/api/secret.ts';
import { aClusterClass, templates } from '../../support/cluster-class.ts';
import { anExtensionConfig } from '../../support/extension-config.ts';
import { anIdentity, startExtensionServer } from '../../support/extension-server.ts';
import { conditionOf } from '../../support/world-client.ts';
import { namespace, patienceSeconds, type Stage } from './stage.ts';

const hooks = 'hooks.runtime.cluster.x-k8s.io/v1alpha1';
const answered = { apiVersion: hooks, status: 'Success', message: '' };

const isTrue = (type: string) => (object: Unstructured | undefined) => conditionOf(object, type) === 'True';

/** An ExtensionConfig gets its authority from a Secret, and its handlers from the server. */
export async function discoverExtension(stage: Stage): Promise<void> {
  await anExtension(stage, { name: 'asked', ...definingNothing });
}

/** A class with a template of each role and an extension that defines a variable. */
export async function reconcileClass(stage: Stage): Promise<void> {
  const { client } = stage;
  await anExtension(stage, { name: 'variables', ...definingNothing });
  for (const template of Object.values(templates)) {
    await client.create(template.in(namespace).intent());
  }
  const clusterClass = aClusterClass().in(namespace).discovering({ patch: 'define.variables' });
  await client.create(clusterClass.intent());
  const { apiVersion, kind, metadata } = clusterClass.build();
  await client.until({ apiVersion, kind, namespace, name: metadata.name }, isTrue('VariablesReady'), patienceSeconds);
}

export interface ServedHook {
  /** Of the ExtensionConfig. */
  readonly name: string;
  readonly hook: string;
  readonly handler: string;
  readonly answer: Readonly<Record<string, unknown>>;
}

const definingNothing = { hook: 'DiscoverVariables', handler: 'define', answer: { variables: [] } } as const;

/** Resolves once it is discovered; for this namespace alone. */
export async function anExtension(
  { client, atEnd }: Stage,
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
  await client.until({ apiVersion, kind, name }, isTrue('Discovered'), patienceSeconds);
}
