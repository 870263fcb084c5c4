// The conformance suite of the Kubernetes port. Every adapter, in memory or with a network, passes all cases.
import { randomUUID } from 'node:crypto';
import type { Intent, Kubernetes } from '@capi-serverless/apimachinery';
import { afterAll, beforeAll, describe } from 'vitest';
import { expectValue } from '../answers.ts';
import { describeApply } from './cases/apply.ts';
import { describePatches } from './cases/client-patches.ts';
import { describeDeletion } from './cases/deletion.ts';
import { describeLists } from './cases/lists.ts';
import { describeObjects } from './cases/objects.ts';
import { describeWatches } from './cases/watches.ts';
import { type KubernetesWorld, widgetCrd } from './widget-objects.ts';

export interface ConformanceSubject {
  readonly kubernetes: Kubernetes;
  /** Stores the CRD and resolves when objects of its kind can be created. The suite creates its own namespace. */
  install(crd: Intent): Promise<void>;
  close(): Promise<void>;
}

interface ConformanceSetup {
  /** Called once per suite. The subject is closed at the end of the suite. */
  open(): Promise<ConformanceSubject>;
}

/** Declares the suite for one adapter. The cases have a common namespace, but use different names. */
export function kubernetesConformance(name: string, setup: ConformanceSetup): void {
  describe(`Kubernetes port: ${name}`, () => {
    let subject: ConformanceSubject | undefined;
    let world: KubernetesWorld | undefined;

    beforeAll(async () => {
      subject = await setup.open();
      await subject.install(widgetCrd);
      world = { kubernetes: subject.kubernetes, namespace: await createNamespace(subject.kubernetes) };
    });

    afterAll(async () => {
      await subject?.close();
    });

    const ask = (): KubernetesWorld => {
      if (world === undefined) {
        throw new Error('The adapter was not opened');
      }
      return world;
    };

    describe('objects', () => describeObjects(ask));
    describe('patches', () => describePatches(ask));
    describe('deletion', () => describeDeletion(ask));
    describe('lists', () => describeLists(ask));
    describe('watches', () => describeWatches(ask));
    describe('server-side apply', () => describeApply(ask));
  });
}

async function createNamespace(kubernetes: Kubernetes): Promise<string> {
  const name = `conformance-${randomUUID().slice(0, 8)}`;
  expectValue(await kubernetes.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
  return name;
}
