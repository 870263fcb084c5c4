// The conversion function behind the CRDs of Cluster API, called by a real API server.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Answer, Intent, Unstructured } from '@capi-serverless/apimachinery';
import { systemClock } from '@capi-serverless/apimachinery/system-clock';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { createConversionHandler } from '../../../functions/conversion/conversion-handler.ts';
import { toGroupName } from '../../../infra/kubernetes/identities.ts';
import { outputs } from '../../../infra/kubernetes/outputs.ts';
import { type FunctionUrl, openFunctionUrl } from '../../../local/function-url.ts';
import { findControlPlaneBinaries } from '../../support/control-plane-binaries.ts';
import { define } from '../../support/definitions.ts';
import { describePart } from '../../support/describe-part.ts';
import { aRecordingLog } from '../../support/kernel.ts';
import { type RealControlPlane, startControlPlane } from '../../support/real-control-plane.ts';
import { makeSelfSignedCertificate } from '../../support/self-signed-certificate.ts';
import { connectWorldClient, type WorldClient } from '../../support/world-client.ts';
import { kubectlProblem } from '../apiserver/kubectl.ts';
import { providerCrd, versionedCrds } from './versioned-crds.ts';

const token = 'the-token-in-the-path-of-conversion';
const newer = 'cluster.x-k8s.io/v1beta2';
const older = 'cluster.x-k8s.io/v1beta1';
const namespace = 'default';
const canary = 'canary-of-an-object';

const aMachine = (name: string): Intent => ({
  apiVersion: older,
  kind: 'Machine',
  metadata: { name, namespace, labels: { canary } },
  spec: {
    clusterName: 'c1',
    bootstrap: { dataSecretName: 's' },
    infrastructureRef: {
      apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta1',
      kind: 'AMachine',
      name: 'i',
      namespace,
    },
    nodeDrainTimeout: '1h30m',
  },
});
const ref = (apiVersion: string, name: string) => ({ apiVersion, kind: 'Machine', namespace, name });

const messageOf = (answer: Answer<unknown>): string => (answer.ok ? 'accepted' : answer.failure.message);

/** The function has its generated role, and no other right. */
const rights = outputs.filter(output => output.path.startsWith('conversion/cluster-role'));

/** The commands of the runbook in the section about this webhook. */
function runbookCommands(): readonly string[] {
  const page = readFileSync(path.join(import.meta.dirname, '../../../docs/runbook.md'), 'utf8');
  const [, section = ''] = page.split('## The conversion webhook does not answer\n');
  const [text = ''] = section.split('\n## ');
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, commands = '']) => commands);
}

const missingKubectl = kubectlProblem();
const found = missingKubectl === undefined ? findControlPlaneBinaries() : { missing: missingKubectl };

describePart('a real API server with the conversion function', found, {
  part: 'a real control plane and kubectl',
  declare,
});

function declare(): void {
  const certificate = makeSelfSignedCertificate('capi-serverless conversion');
  const lines: string[] = [];
  let plane: RealControlPlane;
  let client: WorldClient;
  let door: FunctionUrl;

  const open = async (port: number): Promise<FunctionUrl> => {
    const opened = await openFunctionUrl({ port, ...certificate });
    const handler = createConversionHandler('conversion');
    const target = { name: 'conversion', timeoutSeconds: 30, handler };
    opened.serve({ target, clock: systemClock, log: aRecordingLog() });
    return opened;
  };

  beforeAll(async () => {
    vi.stubEnv('CAPI_CONVERSION_TOKENS', token);
    vi.stubEnv('CAPI_LOG_LEVEL', 'debug');
    vi.spyOn(process.stdout, 'write').mockImplementation(text => {
      lines.push(String(text));
      return true;
    });
    plane = await startControlPlane({ users: [{ name: 'conversion', groups: [toGroupName('conversion')] }] });
    vi.stubEnv('CAPI_KUBECONFIG', plane.kubeconfigPath('conversion'));
    door = await open(0);
    client = await connectWorldClient(plane.kubeconfigPath('admin'));
    for (const { text } of rights) {
      await client.create(parse(text));
    }
    const caBundle = Buffer.from(certificate.certificatePem).toString('base64');
    await define(client, [...versionedCrds({ url: `${door.url}${token}/convert`, caBundle }), providerCrd]);
  });

  afterAll(async () => {
    await door?.stop();
    await plane?.stop();
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });

  describe('serves clients of v1beta1', () => {
    it('that create an object, which is stored as v1beta2', async () => {
      expect(await client.create(aMachine('m'))).toMatchObject({
        apiVersion: older,
        spec: { nodeDrainTimeout: '1h30m0s', infrastructureRef: { apiVersion: expect.stringMatching(/\/v1beta1$/) } },
      });
      const stored = await client.read(ref(newer, 'm'));
      expect(stored).toMatchObject({
        spec: {
          deletion: { nodeDrainTimeoutSeconds: 5400 },
          infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'AMachine', name: 'i' },
        },
      });
      expect(stored?.metadata.annotations).toBeUndefined();
    });

    it('that list, patch and apply', async () => {
      await client.create(aMachine('n'));
      const listed = await client.kubernetes.list({ apiVersion: older, kind: 'Machine', namespace });
      expect(listed.ok && listed.value.map(({ metadata }) => metadata.name)).toEqual(['m', 'n']);
      await client.patch(ref(older, 'n'), { spec: { nodeDrainTimeout: '1m' } });
      const applied = await client.kubernetes.apply(
        { ...aMachine('n'), spec: { ...Object(aMachine('n')['spec']), nodeDrainTimeout: '2m' } },
        { fieldManager: 'a-client', force: true },
      );
      expect(messageOf(applied)).toBe('accepted');
      expect(await client.read(ref(newer, 'n'))).toMatchObject({
        spec: { deletion: { nodeDrainTimeoutSeconds: 120 } },
      });
    });

    it('that watch, with the changes of clients of v1beta2', async () => {
      const seen = await client.read(ref(older, 'n'));
      await client.patch(ref(newer, 'n'), { spec: { version: 'v1.35.0' } });
      const changed = await client.until(
        ref(older, 'n'),
        object => Object(object?.['spec']).version === 'v1.35.0',
        seen as Unstructured, // True: it was created above.
      );
      expect(changed).toMatchObject({ apiVersion: older, spec: { nodeDrainTimeout: '2m0s' } });
    });

    it('with the text of upstream if a provider is not installed', async () => {
      const infrastructureRef = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'Absent', name: 'i' };
      const spec = { clusterName: 'c1', bootstrap: { dataSecretName: 's' }, infrastructureRef };
      await client.create({ apiVersion: newer, kind: 'Machine', metadata: { name: 'absent', namespace }, spec });
      expect(messageOf(await client.kubernetes.get(ref(older, 'absent')))).toContain(
        'failed to convert object: failed to get apiVersion for kind Absent: failed to get CustomResourceDefinition metadata: CustomResourceDefinition.apiextensions.k8s.io "absents.infrastructure.cluster.x-k8s.io" not found',
      );
      await client.remove(ref(newer, 'absent'));
    });

    it('with the text of the object that cannot be converted', async () => {
      const answer = await client.kubernetes.mergePatch(ref(older, 'm'), {
        spec: { infrastructureRef: { apiVersion: 'a/b/c' } },
      });
      expect(messageOf(answer)).toContain(
        'conversion webhook for cluster.x-k8s.io/v1beta1, Kind=Machine failed: failed to convert object: failed to parse apiVersion: unexpected GroupVersion string: a/b/c',
      );
    });
  });

  it('writes no object and no token to the log, at any level', () => {
    const text = lines.join('');
    expect(text).toContain('Converting objects');
    expect(text).toContain('Refusing to convert objects');
    expect(text).not.toContain(token);
    expect(text).not.toContain(canary);
    expect(text).not.toContain('a/b/c');
  });

  describe('while the function does not answer', () => {
    let port: number;

    beforeAll(async () => {
      port = Number(new URL(door.url).port);
      await door.stop();
    });

    it('clients of v1beta1 fail', async () => {
      const refused = 'conversion webhook for cluster.x-k8s.io/v1beta2, Kind=Machine failed: Post "https://127.0.0.1';
      expect(messageOf(await client.kubernetes.get(ref(older, 'm')))).toContain(refused);
      const written = messageOf(await client.kubernetes.create(aMachine('late')));
      expect(written).toContain('conversion webhook for cluster.x-k8s.io/v1beta1, Kind=Machine failed');
    });

    it('clients of v1beta2 read and write, also what clients of v1beta1 created', async () => {
      expect(await client.read(ref(newer, 'm'))).toMatchObject({ apiVersion: newer });
      await client.patch(ref(newer, 'm'), { spec: { version: 'v1.34.0' } });
      const spec = { clusterName: 'c1', bootstrap: { dataSecretName: 's' } };
      const infrastructureRef = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'AMachine', name: 'i' };
      await client.create({ ...aMachine('new'), apiVersion: newer, spec: { ...spec, infrastructureRef } });
      await client.remove(ref(newer, 'new'));
    });

    it('an apply in v1beta2 works only where no client of v1beta1 manages fields', async () => {
      const apply = async (name: string): Promise<string> => {
        const object = {
          apiVersion: newer,
          kind: 'Machine',
          metadata: { name, namespace },
          spec: { version: 'v1.34.1' },
        };
        return messageOf(await client.kubernetes.apply(object, { fieldManager: 'another', force: true }));
      };
      expect(await apply('n')).toContain('conversion webhook');
      const infrastructureRef = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'AMachine', name: 'i' };
      const spec = { clusterName: 'c1', bootstrap: { dataSecretName: 's' }, infrastructureRef };
      await client.create({ apiVersion: newer, kind: 'Machine', metadata: { name: 'only-newer', namespace }, spec });
      expect(await apply('only-newer')).toBe('accepted');
    });

    it('the commands of the runbook stop and resume v1beta1', async () => {
      const [stop = '', resume = ''] = runbookCommands();
      const versions = async () => {
        const crd = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' };
        const read = await client.read({ ...crd, name: 'machines.cluster.x-k8s.io' });
        const found: readonly { readonly name: string; readonly served: boolean }[] = Object(read?.['spec']).versions;
        return found.map(({ name, served }) => `${name} ${served}`);
      };
      expect(await versions()).toEqual(['v1beta1 true', 'v1beta2 true']);
      runShell(stop);
      // A second time changes nothing.
      runShell(stop);
      expect(await versions()).toEqual(['v1beta1 false', 'v1beta2 true']);
      await client.patch(ref(newer, 'm'), { spec: { version: 'v1.34.2' } });
      door = await open(port);
      runShell(resume);
      expect(await versions()).toEqual(['v1beta1 true', 'v1beta2 true']);
      await vi.waitFor(async () => expect(await client.read(ref(older, 'm'))).toMatchObject({ apiVersion: older }), {
        timeout: 60_000,
      });
    });
  });

  function runShell(commands: string): void {
    const env = { PATH: process.env['PATH'], HOME: tmpdir(), KUBECONFIG: plane.kubeconfigPath('admin') };
    execFileSync('bash', ['-euo', 'pipefail', '-c', commands], { env, stdio: 'pipe' });
  }
}
