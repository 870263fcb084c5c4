// Scenarios of the Cluster's behaviour: provider objects that break the contract, answers that mislead, writes that fail.
import { describe, expect, it } from 'vitest';
import { aSettledCluster, controlPlaneOk, cp1, i1, infraOk, logs, reconcileOnce, withBothRefs } from './world.ts';

const both = () => withBothRefs(aSettledCluster());

describe('a version that is not served', () => {
  const notServed = [
    { at: 'get FooCluster ns/i1', message: '404 page not found', reason: 'NotFound', notServed: true },
    { at: 'get FooControlPlane ns/cp1', message: '404 page not found', reason: 'NotFound', notServed: true },
  ] as const;

  it('does not make the object a missing one', async () => {
    const told = await reconcileOnce(both(), { readFaults: notServed });
    expect(told.result).toContain('failed to retrieve FooCluster ns/i1: 404 page not found');
    expect(told.condition('InfrastructureReady')).toBe(`Unknown/InternalError ${logs}`);
  });

  it('keeps the finalizer on', async () => {
    const told = await reconcileOnce(both().deleting(), { readFaults: notServed });
    expect(told.writes).toEqual([]);
    expect(told.condition('Deleting')).toBe(`True/InternalError ${logs}`);
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
  ])('of the infrastructure: $part', async ({ status, error }) => {
    const told = await reconcileOnce(both(), { objects: [infraOk().withStatus(status), controlPlaneOk()] });
    expect(told.result).toContain(error);
    expect(told.status['initialization']).toEqual({ controlPlaneInitialized: true });
    expect(told.v1beta1('InfrastructureReady')).toBeUndefined();
  });

  it.each(['infrastructure', 'control plane'])('endpoint of the %s', async who => {
    const broken = { controlPlaneEndpoint: 'https://h.example' };
    const isInfra = who === 'infrastructure';
    const told = await reconcileOnce(both(), {
      objects: [
        isInfra ? infraOk().withSpec(broken) : i1().adopted(),
        isInfra ? cp1().adopted() : controlPlaneOk().withSpec(broken),
      ],
    });
    expect(told.result).toContain(
      `failed to retrieve spec.controlPlaneEndpoint from ${who} provider for Cluster "c1" in namespace "ns": `,
    );
    expect(told.status['initialization']).toBeUndefined();
  });

  it('initialized of the control plane', async () => {
    const told = await reconcileOnce(both(), {
      objects: [infraOk(), controlPlaneOk().withStatus({ initialization: { controlPlaneInitialized: 1 } })],
    });
    expect(told.result).toContain('.status.initialization.controlPlaneInitialized');
    expect(told.condition('ControlPlaneInitialized')).toBe(`Unknown/InternalError ${logs}`);
    expect(told.v1beta1('ControlPlaneReady')).toBeUndefined();
  });

  it('versions of the control plane keep their stored value', async () => {
    const versions = [{ version: 'v1.35.0', replicas: 3 }];
    const told = await reconcileOnce(both().withStatus({ controlPlane: { versions } }), {
      objects: [infraOk(), controlPlaneOk().withStatus({ versions: [{ version: 'latest' }] })],
    });
    expect(told.status['controlPlane']).toMatchObject({ versions });
  });

  it.each([
    {
      listed: [{ version: 'v1.35.0', replicas: 3 }],
      expected: [{ version: 'v1.35.0', replicas: 3 }],
      reason: 'copied',
    },
    { listed: [], expected: undefined, reason: 'an empty list counts as none' },
  ])('versions of the control plane: $reason', async ({ listed, expected }) => {
    const told = await reconcileOnce(both(), {
      objects: [infraOk(), controlPlaneOk().withStatus({ versions: listed })],
    });
    expect(told.status['controlPlane']).toHaveProperty('replicas', 3);
    expect((told.status['controlPlane'] as { versions?: unknown }).versions).toEqual(expected); // read off a record
  });
});

describe('writes that are refused', () => {
  const refused = { message: 'forbidden by policy' };

  it('an object that cannot be marked is not worked with', async () => {
    const told = await reconcileOnce(both(), {
      objects: [
        i1()
          .withSpec({ controlPlaneEndpoint: { host: 'h.example', port: 6443 } })
          .withStatus({ initialization: { provisioned: true } }),
        cp1().adopted(),
      ],
      failures: { 'own:infrastructure': refused },
    });
    expect(told.result).toBe(
      'failed to patch FooCluster ns/i1: failed to patch spec and metadata: forbidden by policy',
    );
    expect(told.condition('InfrastructureReady')).toBe(`Unknown/InternalError ${logs}`);
    expect(told.writes.filter(line => line.startsWith('patch Cluster'))).toEqual([]);
    expect(told.status['initialization']).toBeUndefined();
  });

  it('then the control plane gives the endpoint, as if the infrastructure had none', async () => {
    const told = await reconcileOnce(both(), {
      objects: [
        i1()
          .withSpec({ controlPlaneEndpoint: { host: 'h.example', port: 6443 } })
          .withStatus({ initialization: { provisioned: true } }),
        controlPlaneOk().withSpec({ controlPlaneEndpoint: { host: 'cph', port: 1 } }),
      ],
      failures: { 'own:infrastructure': refused },
    });
    expect(told.writes.at(-1)).toBe('patch Cluster ns/c1 {"spec":{"controlPlaneEndpoint":{"host":"cph","port":1}}}');
  });

  it('an endpoint that cannot be written is not the Cluster’s', async () => {
    const told = await reconcileOnce(both(), {
      objects: [infraOk(), controlPlaneOk()],
      failures: { endpoint: refused },
    });
    expect(told.result).toBe('failed to patch Cluster ns/c1: failed to patch spec and metadata: forbidden by policy');
    expect(told.status['phase']).toBe('Provisioning');
    expect(told.status['observedGeneration']).toBeUndefined();
    expect(told.generationOf('Available')).toBe(3);
  });
});
