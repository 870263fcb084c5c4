// Scenarios of the Cluster's behaviour: provider objects that violate the contract, versions that are not served, writes that fail.
import { describe, expect, it } from 'vitest';
import {
  aSettledCluster,
  controlPlaneOk,
  cp1,
  i1,
  infraOk,
  logs,
  reconcileOnce,
  withBothRefs,
} from './cluster-pass.ts';

const both = () => withBothRefs(aSettledCluster());

describe('a version that is not served', () => {
  const notServed = [
    { at: 'get FooCluster ns/i1', message: '404 page not found', reason: 'NotFound', notServed: true },
    { at: 'get FooControlPlane ns/cp1', message: '404 page not found', reason: 'NotFound', notServed: true },
  ] as const;

  it('does not count as a missing object', async () => {
    const reconciled = await reconcileOnce(both(), { readFaults: notServed });
    expect(reconciled.result).toContain('failed to retrieve FooCluster ns/i1: 404 page not found');
    expect(reconciled.condition('InfrastructureReady')).toBe(`Unknown/InternalError ${logs}`);
  });

  it('keeps the finalizer', async () => {
    const reconciled = await reconcileOnce(both().deleting(), { readFaults: notServed });
    expect(reconciled.writes).toEqual([]);
    expect(reconciled.condition('Deleting')).toBe(`True/InternalError ${logs}`);
  });
});

describe('fields of the wrong type', () => {
  it.each([
    {
      part: 'provisioned',
      status: { initialization: { provisioned: 'yes' } },
      error: '.status.initialization.provisioned',
    },
    { part: 'failureReason', status: { failureReason: 7 }, error: 'failed to determine failureReason on ' },
    { part: 'failureMessage', status: { failureMessage: {} }, error: 'failed to determine failureMessage on ' },
  ])('of the infrastructure are errors: $part', async ({ status, error }) => {
    const reconciled = await reconcileOnce(both(), { objects: [infraOk().withStatus(status), controlPlaneOk()] });
    expect(reconciled.result).toContain(error);
    expect(reconciled.status['initialization']).toEqual({ controlPlaneInitialized: true });
    expect(reconciled.v1beta1('InfrastructureReady')).toBeUndefined();
  });

  it.each(['infrastructure', 'control plane'])('are errors: the endpoint of the %s', async who => {
    const broken = { controlPlaneEndpoint: 'https://h.example' };
    const isInfra = who === 'infrastructure';
    const reconciled = await reconcileOnce(both(), {
      objects: [
        isInfra ? infraOk().withSpec(broken) : i1().adopted(),
        isInfra ? cp1().adopted() : controlPlaneOk().withSpec(broken),
      ],
    });
    expect(reconciled.result).toContain(
      `failed to retrieve spec.controlPlaneEndpoint from ${who} provider for Cluster "c1" in namespace "ns": `,
    );
    expect(reconciled.status['initialization']).toBeUndefined();
  });

  it('are errors: initialized of the control plane', async () => {
    const reconciled = await reconcileOnce(both(), {
      objects: [infraOk(), controlPlaneOk().withStatus({ initialization: { controlPlaneInitialized: 1 } })],
    });
    expect(reconciled.result).toContain('.status.initialization.controlPlaneInitialized');
    expect(reconciled.condition('ControlPlaneInitialized')).toBe(`Unknown/InternalError ${logs}`);
    expect(reconciled.v1beta1('ControlPlaneReady')).toBeUndefined();
  });

  it('keep the stored value: versions of the control plane', async () => {
    const versions = [{ version: 'v1.35.0', replicas: 3 }];
    const reconciled = await reconcileOnce(both().withStatus({ controlPlane: { versions } }), {
      objects: [infraOk(), controlPlaneOk().withStatus({ versions: [{ version: 'latest' }] })],
    });
    expect(reconciled.status['controlPlane']).toMatchObject({ versions });
  });

  it.each([
    {
      listed: [{ version: 'v1.35.0', replicas: 3 }],
      expected: [{ version: 'v1.35.0', replicas: 3 }],
      reason: 'are copied',
    },
    { listed: [], expected: undefined, reason: 'are absent if the list is empty' },
  ])('versions of the control plane: $reason', async ({ listed, expected }) => {
    const reconciled = await reconcileOnce(both(), {
      objects: [infraOk(), controlPlaneOk().withStatus({ versions: listed })],
    });
    expect(reconciled.status['controlPlane']).toHaveProperty('replicas', 3);
    expect((reconciled.status['controlPlane'] as { versions?: unknown }).versions).toEqual(expected); // true: the value was read from a record
  });
});

describe('writes that are refused', () => {
  const refused = { message: 'forbidden by policy' };

  it('an object that cannot be marked counts as unknown', async () => {
    const reconciled = await reconcileOnce(both(), {
      objects: [
        i1()
          .withSpec({ controlPlaneEndpoint: { host: 'h.example', port: 6443 } })
          .withStatus({ initialization: { provisioned: true } }),
        cp1().adopted(),
      ],
      failures: { 'own:infrastructure': refused },
    });
    expect(reconciled.result).toBe(
      'failed to patch FooCluster ns/i1: failed to patch spec and metadata: forbidden by policy',
    );
    expect(reconciled.condition('InfrastructureReady')).toBe(`Unknown/InternalError ${logs}`);
    expect(reconciled.writes.filter(line => line.startsWith('patch Cluster'))).toEqual([]);
    expect(reconciled.status['initialization']).toBeUndefined();
  });

  it('the control plane gives the endpoint if the infrastructure could not be marked', async () => {
    const reconciled = await reconcileOnce(both(), {
      objects: [
        i1()
          .withSpec({ controlPlaneEndpoint: { host: 'h.example', port: 6443 } })
          .withStatus({ initialization: { provisioned: true } }),
        controlPlaneOk().withSpec({ controlPlaneEndpoint: { host: 'cph', port: 1 } }),
      ],
      failures: { 'own:infrastructure': refused },
    });
    expect(reconciled.writes.at(-1)).toBe(
      'patch Cluster ns/c1 {"spec":{"controlPlaneEndpoint":{"host":"cph","port":1}}}',
    );
  });

  it('an endpoint that cannot be written does not count', async () => {
    const reconciled = await reconcileOnce(both(), {
      objects: [infraOk(), controlPlaneOk()],
      failures: { endpoint: refused },
    });
    expect(reconciled.result).toBe(
      'failed to patch Cluster ns/c1: failed to patch spec and metadata: forbidden by policy',
    );
    expect(reconciled.status['phase']).toBe('Provisioning');
    expect(reconciled.status['observedGeneration']).toBeUndefined();
    expect(reconciled.generationOf('Available')).toBe(3);
  });
});
