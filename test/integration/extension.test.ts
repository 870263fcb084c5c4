// The example extension server on a real API server: discovery, a new authority, removal.

import type { ObjectRef, Unstructured } from '@capi-serverless/apimachinery';
import { getCondition } from '@capi-serverless/cluster-api/conditions';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { handlers } from '../../examples/extension/handlers.ts';
import { toManifests } from '../../examples/extension/manifests.ts';
import { type ExtensionServer, startExtensionServer } from '../../examples/extension/server.ts';
import { readExtensionConfig } from '../../shared/api/extension-config/reader.ts';
import { toSecretData } from '../../shared/api/secret.ts';
import { describeReal } from '../support/describe-real.ts';
import { type LocalRun, startLocalRun } from '../support/local-run.ts';
import { type RealControlPlane, startControlPlane } from '../support/real-control-plane.ts';
import { connectWorldClient, type WorldClient } from '../support/world-client.ts';

const config: ObjectRef = { apiVersion: 'runtime.cluster.x-k8s.io/v1beta2', kind: 'ExtensionConfig', name: 'ext1' };
const secret: ObjectRef = { apiVersion: 'v1', kind: 'Secret', namespace: 'default', name: 'ext1-extension-ca' };

describeReal('an ExtensionConfig', () => {
  let controlPlane: RealControlPlane;
  let client: WorldClient;
  let server: ExtensionServer;
  let run: LocalRun;

  beforeAll(async () => {
    controlPlane = await startControlPlane();
    const kubeconfig = controlPlane.kubeconfigPath('admin');
    client = await connectWorldClient(kubeconfig);
    server = await startExtensionServer({ handlers, address: '127.0.0.1', port: 0 });
    run = startLocalRun({ args: ['--kubeconfig', kubeconfig, '--install-crds', '--json'] });
    await run.line(({ event }) => event === 'started');
  });

  afterAll(async () => {
    run.interrupt();
    await run.ended;
    await server.stop();
    await controlPlane.stop();
  });

  const statusOf = (object: Unstructured | undefined): string | undefined =>
    object && getCondition(readExtensionConfig(object).status.conditions, 'Discovered')?.status;

  it('has the CA of its Secret and the handlers of its server, for that generation', async () => {
    const manifests = toManifests({
      url: server.url,
      authority: server.authority(),
      name: 'ext1',
      namespace: 'default',
    });
    for (const manifest of manifests) {
      await client.create(manifest);
    }
    const found = await client.until(config, object => statusOf(object) === 'True');
    const { metadata, spec, status } = readExtensionConfig(found ?? (await Promise.reject(new Error('it is gone'))));
    expect(spec.clientConfig.caBundle).toBe(toSecretData(server.authority()));
    expect(status.handlers.map(({ name }) => name)).toEqual(handlers.map(({ name }) => `${name}.ext1`));
    expect(getCondition(status.conditions, 'Discovered')?.observedGeneration).toBe(metadata.generation);
  });

  it('takes over a new CA through the retries of its failed discovery', async () => {
    await server.renew();
    await client.patch(secret, { data: { 'ca.crt': toSecretData(server.authority()) } });
    await client.patch(config, { metadata: { annotations: { 'example.com/poke': '1' } } });
    const wanted = toSecretData(server.authority());
    await client.until(
      config,
      object =>
        object !== undefined &&
        readExtensionConfig(object).spec.clientConfig.caBundle === wanted &&
        statusOf(object) === 'True',
    );
  });

  it('keeps its handlers while its server is down, and reports that', async () => {
    await server.stop();
    await client.patch(config, { metadata: { annotations: { 'example.com/poke': '2' } } });
    const found = await client.until(config, object => statusOf(object) === 'False');
    const { status } = readExtensionConfig(found ?? (await Promise.reject(new Error('it is gone'))));
    expect(status.handlers).toHaveLength(handlers.length);
    expect(getCondition(status.conditions, 'Discovered')?.message).toContain(
      'Error in discovery: failed to discover extension "ext1": http call failed: ',
    );
    server = await startExtensionServer({ handlers, address: '127.0.0.1', port: 0 });
  });
});
