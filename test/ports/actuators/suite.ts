// The conformance suite of actuators, with the example of this project.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Kubernetes } from '@capi-serverless/apimachinery';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { readList, valueOr } from '@capi-serverless/cluster-api/contract';
import { actuatorConformance } from '@capi-serverless/provider-sdk/testing';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { defineRackActuator } from '../../../examples/actuator/rack-actuator.ts';
import { createRacksInMemory } from '../../../examples/actuator/racks.ts';
import { projectRoot } from '../../../infra/bundles/bundle.ts';
import { parseManifests } from '../../../local/manifests.ts';
import { accepted } from '../../support/accepted.ts';

const file = 'examples/actuator/crds.yaml';
const definitions = parseManifests(readFileSync(path.join(projectRoot, file), 'utf8'), file);
const apiVersion = 'cluster.k8s.io/v1alpha1';

interface ActuatorServer {
  readonly kubernetes: Kubernetes;
  close(): Promise<void>;
}

/** Declares the suite for one server. */
export function actuatorsOn(server: string, open: () => Promise<ActuatorServer>): void {
  describe(`The example actuator on ${server}`, () => {
    let opened: ActuatorServer | undefined;
    const namespace = `conformance-${randomUUID().slice(0, 8)}`;
    const racks = createRacksInMemory();

    beforeAll(async () => {
      opened = await open();
      accepted(await opened.kubernetes.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }));
      for (const definition of definitions) {
        accepted(await opened.kubernetes.create(definition));
      }
      await untilServed(opened.kubernetes);
    });

    afterAll(async () => {
      await opened?.close();
    });

    const cases = actuatorConformance({
      actuator: defineRackActuator(racks),
      kubernetes() {
        if (opened === undefined) {
          throw new Error('The server was not opened');
        }
        return opened.kubernetes;
      },
      namespace,
      now: systemClock.now,
      newId: () => randomUUID().slice(0, 8),
      spec: { racks: ['one', 'two'] },
      isReady: object => valueOr(readList(object, 'status.reservedRacks'), []).length === 2,
      child: { kind: 'Machine' },
      failure: { inject: async () => racks.setBroken(true), mend: async () => racks.setBroken(false) },
      terminal: { inject: { spec: { racks: [] } } },
    });

    it.each(cases)('$name', async ({ run }) => {
      await run();
    });

    it('leaves no rack reserved', () => {
      expect(cases.length).toBeGreaterThan(15);
      expect(racks.reserved()).toEqual([]);
    });
  });
}

/** A CRD is served with a delay after it is stored. */
async function untilServed(kubernetes: Kubernetes): Promise<void> {
  await vi.waitFor(
    async () => {
      for (const kind of ['Cluster', 'Machine']) {
        expect(await kubernetes.list({ apiVersion, kind })).toMatchObject({ ok: true });
      }
    },
    { timeout: 300_000, interval: 50 },
  );
}
