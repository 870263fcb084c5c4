// The conformance suite of infrastructure providers, for the provider kinds of this project and its examples.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Kubernetes, toApiVersion } from '@capi-serverless/apimachinery';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { type ConformanceSetup, infrastructureConformance } from '@capi-serverless/provider-sdk/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createCloudInMemory } from '../../../examples/provider/cloud.ts';
import { defineHarbourCluster } from '../../../examples/provider/provider.ts';
import { projectRoot } from '../../../infra/bundles/bundle.ts';
import { parseManifests } from '../../../local/manifests.ts';
import { simulatedCrds } from '../../../local/provider/crds/index.ts';
import { orderPrefix } from '../../../local/provider/orders.ts';
import { simulatedCluster } from '../../../local/provider/simulated-cluster.ts';
import { simulatedLegacyCluster } from '../../../local/provider/simulated-legacy-cluster.ts';
import { coreCrds } from '../../../shared/api/crds.ts';
import type { CustomResourceDefinition } from '../../../shared/api/schema/definition.ts';
import { accepted } from '../../support/accepted.ts';
import { itemsOf, type Rotation, rotationOf } from '../../support/rotation.ts';

const exampleFile = 'examples/provider/crds.yaml';
const exampleObjects = parseManifests(readFileSync(path.join(projectRoot, exampleFile), 'utf8'), exampleFile);

interface ProviderServer {
  readonly kubernetes: Kubernetes;
  /** Resolves when objects of these kinds can be created. */
  install(crds: readonly CustomResourceDefinition[]): Promise<void>;
  close(): Promise<void>;
}

type Subject = Omit<ConformanceSetup, 'kubernetes' | 'namespace' | 'now' | 'newId'>;

const order = (name: string, value: string | null) => ({
  metadata: { annotations: { [`${orderPrefix}${name}`]: value } },
});

const simulated = {
  endpoint: 'provided',
  spec: { failureDomains: ['b', 'a'] },
  failureDomains: ['a', 'b'],
  failure: { inject: order('fail', 'no network'), mend: order('fail', null) },
  terminal: { inject: order('terminal', 'no quota') },
} as const;

const cloud = createCloudInMemory();
let networks = 0;

const harbour: Subject = {
  provider: defineHarbourCluster(cloud),
  contract: 'v1beta2',
  endpoint: 'provided',
  spec: {
    region: 'north',
    // Each object needs a different network, because the suite creates many objects from one spec.
    network: {
      get cidr() {
        networks += 1;
        return `10.${networks >> 8}.${networks & 255}.0/24`;
      },
    },
    berths: [
      { name: 'quay-1', attributes: { quay: 'east' } },
      { name: 'dock', controlPlane: false, attributes: { quay: 'inner' } },
    ],
  },
  failureDomains: ['quay-1', 'dock'],
  // These values contain the uid of the object.
  varies: ['spec.network.cidr', 'status.networkId', 'status.gatewayId', 'spec.controlPlaneEndpoint.host'],
  failure: { inject: async () => cloud.setBroken(true), mend: async () => cloud.setBroken(false) },
  terminal: { inject: { spec: { network: { cidr: '8.8.8.0/24' } } } },
};

const subjects: readonly Subject[] = [
  harbour,
  { ...simulated, provider: simulatedCluster, contract: 'v1beta2' },
  { ...simulated, provider: simulatedLegacyCluster, contract: 'v1beta1' },
];

/** Divides the providers among commits. */
export const providerRotation = rotationOf(subjects.length);

/** Declares the suite for one server, with all providers or those of the rotation. */
export function providersOn(
  server: string,
  open: () => Promise<ProviderServer>,
  rotation: Rotation = { parts: 1, part: 0 },
): void {
  describe(`Infrastructure providers on ${server}`, () => {
    let opened: ProviderServer | undefined;
    const namespace = `conformance-${randomUUID().slice(0, 8)}`;

    beforeAll(async () => {
      opened = await open();
      await opened.install([...coreCrds, ...simulatedCrds]);
      await installExample(opened.kubernetes);
      accepted(await opened.kubernetes.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }));
    });

    afterAll(async () => {
      await opened?.close();
    });

    const kubernetes = (): Kubernetes => {
      if (opened === undefined) {
        throw new Error('The server was not opened');
      }
      return opened.kubernetes;
    };

    describe.each(itemsOf(subjects, rotation))('$provider.declaration.primary.kind, contract $contract', subject => {
      const cases = infrastructureConformance({
        ...subject,
        kubernetes,
        namespace,
        now: systemClock.now,
        newId: () => randomUUID().slice(0, 8),
      });
      it.each(cases)('$name', async ({ run }) => {
        await run();
      });
    });
  });
}

/** A CRD is served with a delay after it is stored. */
async function installExample(kubernetes: Kubernetes): Promise<void> {
  for (const object of exampleObjects.filter(({ kind }) => kind === 'CustomResourceDefinition')) {
    await kubernetes.create(object);
  }
  const { group, version, kind } = harbour.provider.declaration.primary;
  await vi.waitFor(
    async () => {
      const listed = await kubernetes.list({ apiVersion: toApiVersion({ group, version }), kind });
      expect(listed.ok).toBe(true);
    },
    { timeout: 300_000, interval: 50 },
  );
}
