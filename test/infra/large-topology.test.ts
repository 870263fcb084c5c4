// The largest topology that the CRDs allow, processed by the bundled function within its memory limit. Unless
// CAPI_TEST_EXTENT=full is set, the topology has a fifth of this size.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { Intent } from '@capi-serverless/apimachinery';
import { startApiServer, writeKubeconfig } from '@capi-serverless/apiserver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { parseManifests } from '../../local/manifests.ts';
import { simulatedCrds } from '../../local/provider/crds/index.ts';
import type { ApiServer } from '../../packages/apiserver/server.ts';
import { coreCrds } from '../../shared/api/crds.ts';
import { generated } from '../support/extent.ts';
import { installDefinitions } from '../support/install-definitions.ts';
import { clusterRef } from '../support/static-provider.ts';
import { raisedLimits } from '../support/time-limits.ts';
import { connectWorldClient, type WorldClient } from '../support/world-client.ts';

const file = 'examples/topology/cluster-class.yaml';
const examples = parseManifests(readFileSync(path.join(projectRoot, file), 'utf8'), file);
const ref = clusterRef('default', 'large');

/** The maximum number of MachineDeployment classes in the definition of ClusterClass. */
const classes = generated(100);
const deployments = generated(200);
const patches = generated(300);
/** The part of the function's 512 MiB for the heap. The rest is for the program and for other memory. */
const heapMiB = 400;

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => index);

/** Every patch writes a different value to the template of every MachineDeployment. */
function aPatch(number: number) {
  const template = `{{ .registry }}/image-${number}:{{ .builtin.machineDeployment.version }}-{{ .builtin.machineDeployment.topologyName }}`;
  return {
    name: `patch-${number}`,
    enabledIf: '{{ if .registry }}true{{ end }}',
    definitions: [
      {
        selector: {
          apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
          kind: 'SimulatedMachineTemplate',
          matchResources: { machineDeploymentClass: { names: ['worker-*'] } },
        },
        jsonPatches: [{ op: 'add', path: '/spec/template/spec/image', valueFrom: { template } }],
      },
    ],
  };
}

const schema = { openAPIV3Schema: { type: 'string' } };

/** The class of the example with many more items, in its reconciled form. */
function aLargeClass(example: Intent): Intent {
  const { infrastructure, controlPlane, workers } = Object(example['spec']);
  const [worker] = workers.machineDeployments;
  return {
    ...example,
    metadata: { name: 'large', namespace: 'default' },
    spec: {
      ...{ infrastructure, controlPlane },
      workers: { machineDeployments: numbers(classes).map(number => ({ ...worker, class: `worker-${number}` })) },
      variables: [{ name: 'registry', required: true, schema }],
      patches: numbers(patches).map(aPatch),
    },
    status: {
      observedGeneration: 1,
      variables: [
        { name: 'registry', definitionsConflict: false, definitions: [{ from: 'inline', required: true, schema }] },
      ],
      conditions: [
        {
          ...{ type: 'VariablesReady', status: 'True', reason: 'VariablesReady', message: '' },
          ...{ observedGeneration: 1, lastTransitionTime: '2026-01-01T00:00:00Z' },
        },
      ],
    },
  };
}

const cluster: Intent = {
  apiVersion: ref.apiVersion,
  kind: 'Cluster',
  metadata: { name: 'large', namespace: 'default' },
  spec: {
    topology: {
      classRef: { name: 'large' },
      version: 'v1.35.0',
      controlPlane: { replicas: 3 },
      variables: [{ name: 'registry', value: 'registry.example' }],
      workers: {
        machineDeployments: numbers(deployments).map(number => ({
          class: `worker-${number % classes}`,
          name: `md-${number}`,
          replicas: 1,
        })),
      },
    },
  },
};

describe(`a topology of ${deployments} MachineDeployments of ${classes} classes with ${patches} patches`, () => {
  let server: ApiServer;
  let folder: string;
  let kubeconfig: string;
  let client: WorldClient;

  beforeAll(async () => {
    server = await startApiServer();
    folder = mkdtempSync(path.join(tmpdir(), 'capi-large-'));
    kubeconfig = path.join(folder, 'kubeconfig');
    writeKubeconfig(kubeconfig, server.kubeconfig);
    client = await connectWorldClient(kubeconfig);
    await installDefinitions(client.kubernetes, [...coreCrds, ...simulatedCrds]);
    for (const object of examples) {
      await client.create(object.kind === 'ClusterClass' ? aLargeClass(object) : object);
    }
    await client.create(cluster);
  });

  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function reconcile() {
    const preload = path.join(projectRoot, 'test/support/preload/report-memory.ts');
    const flags = [`--max-old-space-size=${heapMiB}`, '--import', preload, 'cli/main.ts', 'reconcile'];
    const args = ['topology', 'default/large', '--json', '--kubeconfig', kubeconfig];
    const child = spawn(process.execPath, [...flags, ...args], {
      cwd: projectRoot,
      env: { ...process.env, NODE_OPTIONS: '', ...raisedLimits },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [[code], stdout, stderr] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
    expect({ code, stderr: stderr.replace(/^peak MiB .*\n/m, '') }).toEqual({ code: 0, stderr: '' });
    const report: Report = JSON.parse(stdout);
    console.log(
      `${report.result} after ${report.passes} passes, ${report.requests.length} requests, ${report.writes} writes, ` +
        `${report.seconds} s; ${stderr.trim()}`,
    );
    return report;
  }

  it('is created within one invocation: two templates, a MachineDeployment and a health check for each', async () => {
    const { result, requests } = await reconcile();
    expect(result).toBe('success');
    const created = requests.filter(({ verb, isWrite }) => verb === 'apply' && isWrite);
    expect(created).toHaveLength(4 * deployments + 4);
    const { kubernetes } = client;
    const made = await kubernetes.list({
      apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
      kind: 'SimulatedMachineTemplate',
      namespace: 'default',
    });
    const images = made.ok ? made.value.map(({ spec }) => Object(spec).template.spec.image) : [];
    expect(images).toContain(`registry.example/image-${patches - 1}:v1.35.0-md-${deployments - 1}`);
  });

  it('is settled then: only reads, and no dry run', async () => {
    await reconcile();
    const { result, requests } = await reconcile();
    expect(result).toBe('success');
    expect(requests.filter(({ isWrite, dryRun }) => isWrite || dryRun)).toEqual([]);
  });
});

interface Report {
  readonly result: string;
  readonly passes: number;
  readonly writes: number;
  readonly seconds: number;
  readonly requests: readonly { readonly verb: string; readonly isWrite: boolean; readonly dryRun: boolean }[];
}
