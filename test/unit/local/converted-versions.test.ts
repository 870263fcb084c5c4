import { type Intent, memberOf } from '@capi-serverless/apimachinery';
import { startApiServer } from '@capi-serverless/apiserver';
import { type ApiCore, createApiCore, StatusError } from '@capi-serverless/apiserver/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { convertedVersions } from '../../../local/converted-versions.ts';
import { simulatedCrds } from '../../../local/provider/crds/index.ts';
import { coreCrds } from '../../../shared/api/crds.ts';
import { convertibleKinds } from '../../../shared/conversion/kinds.ts';
import { countingIds, installCrd } from '../../support/memory-api.ts';
import { createRawHttp } from '../../support/raw-http.ts';

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

  it('can be read if the definition of a provider is missing', () => {
    const infrastructureRef = { apiGroup: 'gone.example.com', kind: 'Gone', name: 'i1' };
    core.create(endpointOf('v1beta2'), 'default', aMachine('v1beta2', { infrastructureRef }));
    expect(core.get(at('v1beta1')).spec).toMatchObject({
      infrastructureRef: { apiVersion: 'gone.example.com/v1beta2', kind: 'Gone', name: 'i1' },
    });
  });

  it('is refused in the terms of v1beta1', () => {
    const causes = (spec: object) => {
      const refusal = refusalOf(() => core.create(endpointOf('v1beta1'), 'default', aMachine('v1beta1', spec)));
      return memberOf(memberOf(refusal, 'details'), 'causes');
    };
    expect(causes({ nodeDrainTimeout: '-10s' })).toMatchObject([{ field: 'spec.nodeDrainTimeout' }]);
  });

  it('is deprecated, with the columns of v1beta1', () => {
    const { version } = endpointOf('v1beta1');
    expect(version.deprecation).toBe(
      'cluster.x-k8s.io/v1beta1 Machine is deprecated; use cluster.x-k8s.io/v1beta2 Machine',
    );
    expect(version.columns?.map(({ name }) => name)).toEqual([
      'Cluster',
      'NodeName',
      'ProviderID',
      'Phase',
      'Age',
      'Version',
    ]);
    expect(version.openApi).toMatchObject({ properties: { spec: { properties: { nodeDrainTimeout: {} } } } });
  });
});

describe('the converted versions', () => {
  it.each(convertibleKinds)('of $kind are those that can be converted', ({ group: of, kind, olderVersions }) => {
    const versions = convertedVersions.versionsOf({ group: of, kind, storageVersion: 'v1beta2' });
    expect(versions.map(({ name }) => name)).toEqual(olderVersions);
    expect(convertedVersions.versionsOf({ group: of, kind, storageVersion: 'v1beta1' })).toEqual([]);
  });

  it('are deprecated, except v1alpha1 of kinds that also have v1beta1', () => {
    const deprecated = convertibleKinds.flatMap(({ group: of, kind }) =>
      convertedVersions
        .versionsOf({ group: of, kind, storageVersion: 'v1beta2' })
        .filter(({ deprecation }) => deprecation === undefined)
        .map(({ name }) => `${kind} ${name}`),
    );
    expect(deprecated).toEqual(['IPAddress v1alpha1', 'IPAddressClaim v1alpha1']);
  });
});

describe('a ClusterClass that cannot be converted', () => {
  const aClass = (version: string, name: string, properties: unknown): Intent => ({
    apiVersion: `${group}/${version}`,
    kind: 'ClusterClass',
    metadata: { name, namespace: 'default' },
    spec: {
      ...classReferences(version),
      variables: [{ name: 'v', required: false, schema: { openAPIV3Schema: { type: 'object', properties } } }],
    },
  });

  it('neither ends lists nor watches of v1beta1, and is named', async () => {
    const server = await startApiServer({ conversion: convertedVersions });
    try {
      for (const crd of coreCrds) {
        installCrd(server.core, crd);
      }
      const http = createRawHttp(server);
      const newer = `/apis/${group}/v1beta2/namespaces/default/clusterclasses`;
      const older = newer.replace('v1beta2', 'v1beta1');
      const watch = await http.watch(older);
      expect((await http.post(newer, aClass('v1beta2', 'bad', 5))).status).toBe(201);
      expect((await http.post(older, aClass('v1beta1', 'good', { a: { type: 'string' } }))).status).toBe(201);
      expect((await watch.events.next()).value).toMatchObject({
        type: 'ADDED',
        object: { apiVersion: `${group}/v1beta1`, metadata: { name: 'good' } },
      });
      watch.close();
      const listed = await http.get(older);
      expect(listed).toMatchObject({ status: 200, body: { items: [{ metadata: { name: 'good' } }] } });
      expect(listed.warnings).toEqual([
        `299 - "${group}/v1beta1 ClusterClass is deprecated; use ${group}/v1beta2 ClusterClass"`,
        expect.stringMatching(
          /1 object is not shown, because the conversion to v1beta1 failed; default\/bad: .*must be an object/,
        ),
      ]);
      expect(await http.get(`${older}/bad`)).toMatchObject({
        status: 500,
        body: { message: expect.stringContaining('conversion of ClusterClass to version') },
      });
    } finally {
      await server.stop();
    }
  });
});

function classReferences(version: string): object {
  const reference = (group: string, kind: string) => ({
    [version === 'v1beta1' ? 'ref' : 'templateRef']: {
      apiVersion: `${group}.${'cluster.x-k8s.io'}/v1beta2`,
      kind,
      name: 't',
    },
  });
  return {
    infrastructure: reference('infrastructure', 'SimulatedClusterTemplate'),
    controlPlane: reference('controlplane', 'SimulatedControlPlaneTemplate'),
  };
}

function toObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {};
}
