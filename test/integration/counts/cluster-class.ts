// The requests of one large ClusterClass.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Unstructured, valueAt } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../../infra/bundles/bundle.ts';
import { parseManifests } from '../../../local/manifests.ts';
import { invocationsOf, isWrite } from '../../support/facts.ts';
import type { RecordedFact } from '../../support/local-run.ts';
import { settleAndPoke } from '../../support/quiet.ts';
import { conditionOf } from '../../support/world-client.ts';
import { type CountedRequests, type CountedRun, factsOfStage } from './counted-run.ts';

const file = 'test/fixtures/broad-cluster-class.yaml';
const [clusterClass, ...templates] = parseManifests(readFileSync(path.join(projectRoot, file), 'utf8'), file);
const ref = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'ClusterClass', namespace: 'default', name: 'broad' };

interface CountedClass {
  readonly made: readonly CountedRequests[];
  readonly poked: readonly CountedRequests[];
  readonly settled: Unstructured | undefined;
}

/** Returns the requests of each reconcile of the class. */
function reconcilesOf(facts: readonly RecordedFact[]): readonly CountedRequests[] {
  return invocationsOf('clusterclass', facts)
    .map(({ requests }) => requests)
    .filter(requests => requests.some(({ name }) => name === 'broad'));
}

export async function countClass(counted: CountedRun): Promise<CountedClass> {
  const { run, client } = counted;
  let settled: Unstructured | undefined;
  const facts = await factsOfStage(counted, 'class', async () => {
    for (const object of [...templates, ...(clusterClass === undefined ? [] : [clusterClass])]) {
      await client.create(object);
    }
    settled = await client.until(ref, object => conditionOf(object, 'VariablesReady') === 'True');
    await settleAndPoke(run, client, { controller: 'clusterclass', ref });
  });
  const all = reconcilesOf(facts);
  return { made: all.slice(0, -3), poked: all.slice(-3), settled };
}

export function describeClass(counted: () => CountedClass): void {
  describe('a ClusterClass as broad as those of providers', () => {
    it('settles in one writing invocation: ten owner references, Paused, and the rest of the status', () => {
      const { made, settled } = counted();
      const writing = made.filter(requests => requests.some(isWrite));
      const requests = writing.flat();
      console.log(`a broad class: ${made.length} invocations; the writing one made ${requests.length} requests`);
      expect(writing).toHaveLength(1);
      expect(requests.filter(isWrite)).toHaveLength(12);
      expect(conditionOf(settled, 'RefVersionsUpToDate')).toBe('True');
      expect(valueAt(settled?.status, 'variables')).toHaveLength(32);
    });

    it('is settled then: another reconcile makes no write', () => {
      const { poked } = counted();
      console.log(`a settled broad class: ${poked[0]?.length} requests`);
      expect(poked.length).toBeGreaterThan(0);
      expect(poked.flat().filter(isWrite)).toEqual([]);
    });
  });
}
