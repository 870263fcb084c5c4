import { once } from 'node:events';
import { request } from 'node:https';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type Intent, memberOf } from '@capi-serverless/apimachinery';
import { startApiServer } from '@capi-serverless/apiserver';
import { type ApiCore, createApiCore, StatusError } from '@capi-serverless/apiserver/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { convertedVersions } from '../../../local/converted-versions.ts';
import { simulatedCrds } from '../../../local/provider/crds/index.ts';
import { coreCrds } from '../../../shared/api/crds.ts';
import { countingIds, installCrd } from '../../support/memory-api.ts';

const group = 'cluster.x-k8s.io';

function aMachine(version: string, spec: object = {}): Intent {
  const isOld = version === 'v1beta1';
  const reference = { kind: 'SimulatedMachine', name: 'i1' };
  const infrastructure = 'infrastructure.cluster.x-k8s.io';
  return {
    apiVersion: `${group}/${version}`,
    kind: 'Machine',
    metadata: { name: 'm', namespace: 'default' },
    spec: {
      clusterName: 'c1',
      bootstrap: { dataSecretName: 's' },
      infrastructureRef: isOld
        ? { ...reference, apiVersion: `${infrastructure}/v1beta1`, namespace: 'default' }
        : { ...reference, apiGroup: infrastructure },
      ...spec,
    },
  };
}

describe('a kind of Cluster API in v1beta1', () => {
  let core: ApiCore;
  const endpointOf = (version: string) => core.registry.endpointOfKind(`${group}/${version}`, 'Machine');
  const at = (version: string) => ({ endpoint: endpointOf(version), namespace: 'default', name: 'm' });

  beforeEach(() => {
    core = createApiCore({ now: () => 0, ids: countingIds(), conversion: convertedVersions });
    for (const crd of [...coreCrds, ...simulatedCrds]) {
      installCrd(core, crd);
    }
  });

  it('is stored in v1beta2, and read in both versions', () => {
    const created = core.create(endpointOf('v1beta1'), 'default', aMachine('v1beta1', { nodeDrainTimeout: '1m30s' }));
    expect(created).toMatchObject({
      apiVersion: `${group}/v1beta1`,
      spec: { nodeDrainTimeout: '1m30s', infrastructureRef: { kind: 'SimulatedMachine', namespace: 'default' } },
    });
    expect(core.get(at('v1beta2')).spec).toMatchObject({
      deletion: { nodeDrainTimeoutSeconds: 90 },
      infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'SimulatedMachine', name: 'i1' },
    });
    expect(core.get(at('v1beta1'))).toEqual(created);
    expect(core.list(endpointOf('v1beta1'), {}).items).toEqual([created]);
  });

  it('is watched', () => {
    const watch = core.watch(endpointOf('v1beta1'), {});
    core.create(endpointOf('v1beta2'), 'default', aMachine('v1beta2', { minReadySeconds: 5 }));
    expect(watch.next()).toMatchObject({
      type: 'ADDED',
      object: { apiVersion: `${group}/v1beta1`, metadata: { annotations: expect.anything() } },
    });
  });

  it('loses nothing when a client patches it', () => {
    core.create(endpointOf('v1beta2'), 'default', aMachine('v1beta2', { minReadySeconds: 5 }));
    const body = { spec: { nodeDeletionTimeout: '10s' } };
    const patched = core.patch(at('v1beta1'), { type: 'merge', body });
    expect(patched.spec).toMatchObject({ nodeDeletionTimeout: '10s' });
    const { metadata, spec } = core.get(at('v1beta2'));
    expect(spec).toMatchObject({ minReadySeconds: 5, deletion: { nodeDeletionTimeoutSeconds: 10 } });
    expect(metadata.annotations).toBeUndefined();
  });

  it('is updated, also in its status', () => {
    core.create(endpointOf('v1beta1'), 'default', aMachine('v1beta1'));
    const live = core.get(at('v1beta1'));
    const addresses = [{ type: 'Hostname', address: 'h' }];
    core.update(at('v1beta1'), { ...live, status: { ...toObject(live.status), addresses } }, 'status');
    expect(core.get(at('v1beta2')).status).toEqual({ addresses });
    const next = core.get(at('v1beta1'));
    core.update(at('v1beta1'), { ...next, spec: { ...toObject(next.spec), version: 'v1.34.1' } });
    expect(core.get(at('v1beta2')).spec).toMatchObject({ version: 'v1.34.1' });
  });

  it('is applied without the fields that an intent does not have', () => {
    core.create(endpointOf('v1beta1'), 'default', aMachine('v1beta1', { version: 'v1.34.1' }));
    const { apiVersion, kind, metadata } = aMachine('v1beta1');
    const body = { apiVersion, kind, metadata, spec: { nodeDrainTimeout: '20s' } };
    const { object, created } = core.writing({ manager: 'me' }).apply(at('v1beta1'), { body, force: false });
    expect(created).toBe(false);
    expect(object.spec).toMatchObject({ clusterName: 'c1', version: 'v1.34.1', nodeDrainTimeout: '20s' });
    const owned = object.metadata.managedFields?.find(entry => memberOf(entry, 'manager') === 'me');
    expect(memberOf(memberOf(owned, 'fieldsV1'), 'f:spec')).toEqual({
      'f:deletion': { 'f:nodeDrainTimeoutSeconds': {} },
    });
  });

  it('is deleted', () => {
    core.create(endpointOf('v1beta1'), 'default', aMachine('v1beta1'));
    expect(core.delete(at('v1beta1'))).toMatchObject({ gone: true, object: { apiVersion: `${group}/v1beta1` } });
  });

  const refusalOf = (write: () => unknown): unknown => {
    try {
      write();
    } catch (thrown) {
      return thrown instanceof StatusError ? thrown.status : thrown;
    }
    return undefined;
  };

  it('is refused with wrong types, in another version than the URL, and by the rules of v1beta2', () => {
    const create = (object: object) => refusalOf(() => core.create(endpointOf('v1beta1'), 'default', object));
    expect(create(aMachine('v1beta1', { version: 1 }))).toMatchObject({
      code: 400,
      message: 'Machine in version "v1beta1" cannot be handled as a Machine: spec.version: must be a string',
    });
    expect(create(aMachine('v1beta2'))).toMatchObject({ code: 400 });
    expect(create([])).toMatchObject({ code: 400 });
    expect(create(aMachine('v1beta1', { clusterName: '' }))).toMatchObject({ code: 422 });
  });

  it('has warnings about unknown fields', () => {
    const unknown: (readonly string[])[] = [];
    const writer = core.writing({ onUnknown: paths => unknown.push(paths) });
    writer.create(endpointOf('v1beta1'), 'default', aMachine('v1beta1', { minReadySeconds: 5 }));
    expect(unknown).toEqual([['spec.minReadySeconds']]);
  });

  it('cannot be read if the definition of a provider is missing', () => {
    const infrastructureRef = { apiGroup: 'gone.example.com', kind: 'Gone', name: 'i1' };
    core.create(endpointOf('v1beta2'), 'default', aMachine('v1beta2', { infrastructureRef }));
    expect(refusalOf(() => core.get(at('v1beta1')))).toMatchObject({
      code: 500,
      message: expect.stringContaining('failed to get apiVersion for kind Gone'),
    });
  });

  it('is deprecated, and has no scale', () => {
    const { version } = endpointOf('v1beta1');
    expect(version.deprecation).toBe(
      'cluster.x-k8s.io/v1beta1 Machine is deprecated; use cluster.x-k8s.io/v1beta2 Machine',
    );
    expect(version.scale).toBeUndefined();
    expect(refusalOf(() => core.patch(at('v1beta1'), { type: 'merge', body: {} }, 'scale'))).toMatchObject({
      code: 404,
    });
  });
});

describe('a watch in v1beta1', () => {
  it('ends with an error if an object cannot be converted, and the server goes on', async () => {
    const server = await startApiServer({ conversion: convertedVersions });
    try {
      const { core } = server;
      for (const crd of [...coreCrds, ...simulatedCrds]) {
        installCrd(core, crd);
      }
      const create = (object: Intent) =>
        core.create(core.registry.endpointOfKind(object.apiVersion, 'Machine'), 'default', object);
      const open = async (): Promise<Readable> => {
        const headers = { authorization: `Bearer ${server.token}` };
        const url = `${server.url}/apis/${group}/v1beta1/machines?watch=true`;
        const [answer] = await once(request(url, { ca: server.caPem, headers }).end(), 'response');
        expect(answer.headers.warning).toContain('v1beta1 Machine is deprecated');
        return answer;
      };
      create(aMachine('v1beta2'));
      const lines = (await open())[Symbol.asyncIterator]();
      expect(await readEvent(lines)).toMatchObject({ type: 'ADDED', object: { apiVersion: `${group}/v1beta1` } });
      const infrastructureRef = { apiGroup: 'gone.example.com', kind: 'Gone', name: 'i1' };
      create({ ...aMachine('v1beta2', { infrastructureRef }), metadata: { name: 'gone', namespace: 'default' } });
      expect(await readEvent(lines)).toMatchObject({ type: 'ERROR', object: { code: 500 } });
      expect((await lines.next()).done).toBe(true);
      expect(await text(await open())).toContain('ERROR');
    } finally {
      await server.stop();
    }
  });
});

/** The server writes one event per chunk. */
async function readEvent(chunks: AsyncIterator<unknown>): Promise<unknown> {
  const { value } = await chunks.next();
  return JSON.parse(String(value));
}

function toObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}
