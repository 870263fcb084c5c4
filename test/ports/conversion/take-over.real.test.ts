// The switch of upstream's webhooks and conversion to the functions, and back, on a real API server.
import type { Intent, ObjectRef } from '@capi-serverless/apimachinery';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { webhooksCommand } from '../../../cli/webhooks/command.ts';
import { formerAnnotation } from '../../../cli/webhooks/switches.ts';
import { toWebhookConfigurations } from '../../../infra/kubernetes/webhook-configurations.ts';
import { define } from '../../support/definitions.ts';
import { describeReal } from '../../support/describe-real.ts';
import { type RealControlPlane, startControlPlane } from '../../support/real-control-plane.ts';
import { makeSelfSignedCertificate } from '../../support/self-signed-certificate.ts';
import { startWebhookFunctions, type WebhookFunctions } from '../../support/webhook-functions.ts';
import { connectWorldClient, type WorldClient } from '../../support/world-client.ts';
import { injection, providerCrd, upstreamService, versionedCrds } from './versioned-crds.ts';

const namespace = 'default';
const older = 'cluster.x-k8s.io/v1beta1';
const newer = 'cluster.x-k8s.io/v1beta2';
const tokens = ['the-first-token-in-the-path', 'the-second-token-in-the-path'];
const caBundle = Buffer.from(makeSelfSignedCertificate('upstream').certificatePem).toString('base64');

/** The webhook configurations of upstream: the same hooks, with its Service, and with what operators may set. */
const upstreamConfigurations: readonly Intent[] = toWebhookConfigurations({
  url: 'https://upstream',
  certificateAuthority: undefined,
  failurePolicy: 'Fail',
}).map(({ webhooks, metadata, ...rest }) => ({
  ...rest,
  metadata: { ...metadata, annotations: injection },
  webhooks: webhooks.map(hook => ({
    ...hook,
    matchConditions: [],
    timeoutSeconds: 7,
    clientConfig: { service: { ...upstreamService, path: new URL(hook.clientConfig.url).pathname }, caBundle },
  })),
}));

const machine = (name: string): Intent => ({
  apiVersion: older,
  kind: 'Machine',
  metadata: { name, namespace },
  spec: {
    clusterName: 'c1',
    bootstrap: { dataSecretName: 's' },
    infrastructureRef: { apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta1', kind: 'AMachine', name: 'i' },
  },
});

interface Switched {
  readonly code: number;
  readonly problems: readonly string[];
  readonly objects: readonly { readonly name: string; readonly outcome: string; readonly why?: string }[];
  readonly text: string;
}

describeReal('the take-over of webhooks on a real API server', () => {
  let functions: WebhookFunctions;
  let plane: RealControlPlane;
  let client: WorldClient;
  let refs: readonly ObjectRef[];
  let before: readonly object[];

  async function webhooks(...args: readonly string[]): Promise<Switched> {
    const printed: string[] = [];
    const all = [...args, '--kubeconfig', plane.kubeconfigPath('admin'), '--json'];
    const code = await webhooksCommand.run(all, text => printed.push(text));
    const text = printed.join('');
    return { code, text, ...JSON.parse(text) };
  }

  const takeOver = (token: number, ...more: readonly string[]): Promise<Switched> =>
    webhooks('take-over', ...functions.argsWith(tokens[token] ?? ''), ...more);

  const outcomesOf = ({ objects }: Switched): readonly string[] => [...new Set(objects.map(({ outcome }) => outcome))];

  /** Everything but what each write changes. */
  async function state(): Promise<readonly object[]> {
    const objects = await Promise.all(refs.map(ref => client.read(ref)));
    return objects.map(object => {
      const { metadata: { managedFields: _, resourceVersion: __, generation: ___, ...metadata } = {}, ...rest } =
        Object(object);
      const { status: ____, ...spec } = rest;
      return { ...spec, metadata };
    });
  }

  beforeAll(async () => {
    plane = await startControlPlane();
    client = await connectWorldClient(plane.kubeconfigPath('admin'));
    vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    functions = await startWebhookFunctions(plane.kubeconfigPath('admin'), tokens);
    const crds = versionedCrds({ service: { ...upstreamService, path: '/convert' }, caBundle });
    await define(client, [...crds, providerCrd]);
    for (const configuration of upstreamConfigurations) {
      await client.create(configuration);
    }
    refs = [...crds, ...upstreamConfigurations].map(({ apiVersion, kind, metadata: { name = '' } }) => ({
      ...{ apiVersion, kind, name },
    }));
    before = await state();
  });

  afterAll(async () => {
    vi.restoreAllMocks();
    await functions?.stop();
    await plane?.stop();
  });

  it('begins where writes fail, because nothing is behind the Service', async () => {
    const spec = { clusterName: 'c1', bootstrap: { dataSecretName: 's' } };
    const infrastructureRef = { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'AMachine', name: 'i' };
    const metadata = { name: '', generateName: 'early-', namespace };
    // An API server uses new configurations a moment later.
    await vi.waitFor(
      async () => {
        const object = { apiVersion: newer, kind: 'Machine', metadata, spec: { ...spec, infrastructureRef } };
        expect(await client.kubernetes.create(object)).toMatchObject({
          ok: false,
          failure: { message: expect.stringContaining('failed calling webhook "default.machine.cluster.x-k8s.io"') },
        });
      },
      { timeout: 60_000 },
    );
  });

  it('writes nothing if a hook would be left without an answer', async () => {
    const [mutating] = upstreamConfigurations;
    const ref = { ...Object(mutating), name: mutating?.metadata.name ?? '' };
    const hooks = Object(mutating)['webhooks'];
    const rules = [{ apiGroups: ['example.com'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['widgets'] }];
    await client.patch(ref, { webhooks: [...hooks, { ...hooks[0], name: 'default.widget.example.com', rules }] });
    const refused = await takeOver(0);
    expect(refused.code).toBe(1);
    expect(refused.objects.find(({ outcome }) => outcome === 'refused')).toMatchObject({
      name: 'capi-mutating-webhook-configuration',
      why: 'has hooks that the admission function does not serve: default.widget.example.com (CREATE of widgets.example.com)',
    });
    await client.patch(ref, { webhooks: hooks });
    expect(await state()).toEqual(before);
  });

  it('writes nothing if a function does not answer, or in a dry run', async () => {
    const asked = await webhooks('take-over', '--ca', functions.ca, '--url', `${functions.admissionUrl}another-token`);
    expect(asked.code).toBe(1);
    expect(asked.problems).toEqual([
      `The admission function does not answer: ${functions.admissionUrl.slice(0, -1)} answers HTTP status 404, as with another token`,
    ]);
    const dry = await takeOver(0, '--dry-run');
    expect(dry.code).toBe(0);
    expect(outcomesOf(dry)).toEqual(['would be switched']);
    expect(dry.text).toContain('- conversion: Service capi-system/capi-webhook-service:443/convert');
    expect(dry.text).not.toContain(tokens[0]);
    expect(await state()).toEqual(before);
  });

  it('switches each object once, and keeps what was there', async () => {
    const switched = await takeOver(0);
    expect(switched).toMatchObject({ code: 0, problems: [] });
    expect(switched.objects).toHaveLength(refs.length);
    expect(outcomesOf(switched)).toEqual(['switched']);
    for (const object of await Promise.all(refs.map(ref => client.read(ref)))) {
      expect(Object.keys(object?.metadata.annotations ?? {})).toEqual([formerAnnotation]);
    }
    expect(outcomesOf(await takeOver(0))).toEqual(['unchanged']);
  });

  it('lets clients of both versions work', async () => {
    // An API server uses changed configurations a moment later.
    const created = await vi.waitFor(() => client.create(machine('m')), { timeout: 60_000 });
    expect(created).toMatchObject({
      apiVersion: older,
      metadata: { labels: { 'cluster.x-k8s.io/cluster-name': 'c1' } },
      spec: {
        nodeDeletionTimeout: '10s',
        infrastructureRef: { apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta1' },
      },
    });
    expect(await client.read({ apiVersion: newer, kind: 'Machine', namespace, name: 'm' })).toMatchObject({
      spec: { deletion: { nodeDeletionTimeoutSeconds: 10 } },
    });
    const refused = await client.kubernetes.create({
      ...machine('bad'),
      spec: { ...Object(machine('bad')['spec']), bootstrap: {} },
    });
    expect(refused).toMatchObject({
      ok: false,
      failure: { message: expect.stringContaining('admission webhook "validation.machine.cluster.x-k8s.io" denied') },
    });
  });

  it('exchanges the token, and still knows what was there', async () => {
    const exchanged = await takeOver(1);
    expect(exchanged).toMatchObject({ code: 0, problems: [] });
    expect(outcomesOf(exchanged)).toContain('switched');
    expect(JSON.stringify(await state())).not.toContain(tokens[0]);
  });

  describe('the way back', () => {
    it('is refused while no Pod is ready behind the Service', async () => {
      const switched = await state();
      const refused = await webhooks('give-back');
      expect(refused.code).toBe(1);
      expect(refused.problems).toEqual([
        expect.stringContaining('No Pod is ready behind Service capi-system/capi-webhook-service'),
      ]);
      expect(await state()).toEqual(switched);
    });

    it('restores every object as it was', async () => {
      const { name, namespace: of } = upstreamService;
      await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: of } });
      await client.create({
        apiVersion: 'discovery.k8s.io/v1',
        kind: 'EndpointSlice',
        metadata: { name, namespace: of, labels: { 'kubernetes.io/service-name': name } },
        addressType: 'IPv4',
        endpoints: [{ addresses: ['192.0.2.1'], conditions: { ready: true } }],
      });
      const back = await webhooks('give-back');
      expect(back).toMatchObject({ code: 0, problems: [] });
      expect(await state()).toEqual(before);
      expect(outcomesOf(await webhooks('give-back'))).toEqual(['unchanged']);
    });
  });
});
