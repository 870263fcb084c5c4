// The definitions, examples and installer of this project against a real kube-apiserver.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Kubernetes, ObjectRef, Unstructured } from '@capi-serverless/apimachinery';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkCrds, installCrds } from '../../local/crds.ts';
import { applyManifests, parseManifests, toResultLines } from '../../local/manifests.ts';
import { simulatedCrds } from '../../local/provider/crds/index.ts';
import { coreCrds } from '../../shared/api/crds.ts';
import { loadCredentials } from '../../shared/kubernetes/credentials/load.ts';
import { describeReal } from '../support/describe-real.ts';
import { type RealControlPlane, startControlPlane } from '../support/real-control-plane.ts';
import { createTestClient } from '../support/test-client.ts';

const crds = [...coreCrds, ...simulatedCrds];
const options = { fieldManager: 'capi-serverless' };
/** Against an installation that hangs only. */
const limits = { clock: systemClock, timeoutMs: 600_000 };
const examples = fileURLToPath(new URL('../../examples/', import.meta.url));

function readExamples() {
  const files = readdirSync(examples).filter(name => name.endsWith('.yaml'));
  return files.flatMap(file => parseManifests(readFileSync(`${examples}${file}`, 'utf8'), file));
}

function conditionsOf({ status }: Unstructured): unknown {
  return typeof status === 'object' && status !== null && 'conditions' in status ? status.conditions : [];
}

describeReal('definitions and manifests on a real kube-apiserver', () => {
  let plane: RealControlPlane;
  let kubernetes: Kubernetes;

  beforeAll(async () => {
    plane = await startControlPlane({ controllers: false });
    const credentials = await loadCredentials({ kubeconfigPath: plane.kubeconfigPath('admin') });
    kubernetes = createTestClient({ credentials, client: 'test' });
  });

  afterAll(() => plane.stop());

  test('are installed, and can be used immediately', async () => {
    expect((await checkCrds(kubernetes, crds)).problems).toHaveLength(crds.length);
    expect(await installCrds(kubernetes, crds, limits)).toEqual({
      created: crds.map(crd => crd.metadata.name),
      problems: [],
    });
    const results = await applyManifests(kubernetes, readExamples(), options);
    expect(results.filter(({ outcome }) => outcome !== 'created').flatMap(toResultLines)).toEqual([]);
  });

  test('are structural schemas with accepted names', async () => {
    for (const { apiVersion, kind, metadata } of crds) {
      const ref: ObjectRef = { apiVersion, kind, name: metadata.name };
      const answer = await kubernetes.get(ref);
      const conditions = answer.ok ? conditionsOf(answer.value) : [];
      expect(conditions).toEqual(
        expect.arrayContaining([expect.objectContaining({ type: 'Established', status: 'True' })]),
      );
      expect(conditions).not.toEqual(
        expect.arrayContaining([expect.objectContaining({ type: 'NonStructuralSchema' })]),
      );
    }
  });

  test('are unchanged by a second install, and examples applied again change nothing', async () => {
    const before = await kubernetes.list({ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster' });
    expect(await installCrds(kubernetes, crds, limits)).toEqual({ created: [], problems: [] });
    const results = await applyManifests(kubernetes, readExamples(), options);
    expect(results.filter(({ outcome }) => outcome !== 'patched').flatMap(toResultLines)).toEqual([]);
    expect(await kubernetes.list({ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster' })).toEqual(before);
  });

  test('reject an invalid Cluster field by field', async () => {
    const text = [
      'apiVersion: cluster.x-k8s.io/v1beta2',
      'kind: Cluster',
      'metadata: {name: wrong}',
      'spec:',
      '  controlPlaneEndpoint: {port: 70000}',
      '  topology:',
      '    version: v1.35.0',
      '    classRef: {name: Not-A-Name}',
      '    controlPlane:',
      '      healthCheck:',
      '        checks:',
      '          unhealthyMachineConditions: [{type: Ready, status: "False", timeoutSeconds: 60}]',
    ].join('\n');
    const [result] = await applyManifests(kubernetes, parseManifests(text, 'wrong.yaml'), options);
    const lines = result === undefined ? [] : toResultLines(result);
    expect(lines[0]).toBe('Cluster default/wrong refused:');
    expect(lines.slice(1).map(line => line.trim().split(':')[0])).toEqual(
      expect.arrayContaining(['spec.controlPlaneEndpoint.port', 'spec.topology.classRef.name']),
    );
  });
});
