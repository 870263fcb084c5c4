import { beforeEach, describe, expect, it } from 'vitest';
import type { Post } from '../../../../cli/webhooks/ask-functions.ts';
import { formerAnnotation } from '../../../../cli/webhooks/switches.ts';
import {
  decideGiveBack,
  decideTakeOver,
  type SwitchOutcome,
  writeSwitches,
} from '../../../../cli/webhooks/take-over.ts';
import { defaultPolicies } from '../../../../infra/kubernetes/admission-policies/default-policies.ts';
import { kindPolicies } from '../../../../infra/kubernetes/admission-policies/policy-manifests.ts';
import { UsageError } from '../../../../local/usage-error.ts';
import { injection, service, UpstreamInstallation } from './upstream-installation.ts';

const url = 'https://functions.test/secret-token';
const options = {
  ...{ url, conversionUrl: url, certificateAuthority: undefined },
  ...({ failurePolicy: 'Fail', policies: 'none' } as const),
};

/** Functions that answer as the real ones, with this version in references. */
const functions =
  (version = 'v1beta2'): Post =>
  async (_url, body) => {
    const { kind, request } = JSON.parse(JSON.stringify(body));
    const convertedObjects = (request.objects ?? []).map(() => ({
      spec: { infrastructureRef: { apiVersion: `infrastructure.cluster.x-k8s.io/${version}` } },
    }));
    const response = { uid: request.uid, allowed: true, result: { status: 'Success' }, convertedObjects };
    return { status: 200, text: JSON.stringify({ kind, response }) };
  };

let installation: UpstreamInstallation;

beforeEach(() => {
  installation = new UpstreamInstallation();
});

const takeOver = async (dryRun = false, post = functions(), more: object = {}) => {
  const decided = await decideTakeOver(installation.client, { ...options, ...more }, post);
  return { ...decided, outcomes: await writeSwitches(installation.client, decided, dryRun) };
};
const giveBack = async () => {
  const decided = await decideGiveBack(installation.client);
  return { ...decided, outcomes: await writeSwitches(installation.client, decided, false) };
};
const kind = 'CustomResourceDefinition';
const refusals = (outcomes: readonly SwitchOutcome[]): readonly string[] =>
  outcomes.flatMap(({ name, outcome, why }) => (outcome === 'refused' ? [`${name} ${why}`] : []));

describe('a take-over', () => {
  it('switches all objects, and the way back restores them', async () => {
    const before = installation.state();
    const { outcomes, problems } = await takeOver();
    expect(problems).toEqual([]);
    expect(outcomes.map(({ outcome }) => outcome)).toEqual(Array(15).fill('switched'));
    const crd = installation.find('CustomResourceDefinition', 'machines.cluster.x-k8s.io');
    expect(crd['spec']).toMatchObject({
      conversion: {
        strategy: 'Webhook',
        webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: `${url}/convert` } },
      },
    });
    expect(JSON.stringify(crd['spec'])).not.toMatch(/service|caBundle/);
    expect(Object.keys(crd.metadata.annotations ?? {})).toEqual([formerAnnotation]);
    const back = await giveBack();
    expect(back.problems).toEqual([]);
    expect(installation.state()).toEqual(before);
    expect(new Set((await giveBack()).outcomes.map(({ outcome }) => outcome))).toEqual(new Set(['unchanged']));
  });

  it('shows the differences in a dry run, without a token, and writes nothing', async () => {
    const before = installation.state();
    const { outcomes } = await takeOver(true);
    expect(outcomes.find(({ name }) => name === 'machines.cluster.x-k8s.io')).toEqual({
      kind: 'CustomResourceDefinition',
      name: 'machines.cluster.x-k8s.io',
      outcome: 'would be switched',
      changes: [
        '- conversion: Service capi-system/capi-webhook-service:443/convert, with an authority of its own',
        '+ conversion: https://functions.test/…/convert',
        '- annotation cert-manager.io/inject-ca-from: capi-system/capi-serving-cert',
      ],
    });
    expect(outcomes.at(-1)?.changes).toContain(
      '+ validation.machine.cluster.x-k8s.io: https://functions.test/…/validate-cluster-x-k8s-io-v1beta2-machine, Fail',
    );
    expect(JSON.stringify(outcomes)).not.toContain('secret-token');
    expect(installation.state()).toEqual(before);
  });

  it('is repeated with a new token, and keeps the first value', async () => {
    const before = installation.state();
    await takeOver();
    expect(new Set((await takeOver()).outcomes.map(({ outcome }) => outcome))).toEqual(new Set(['unchanged']));
    const next = { url: `${url}-2`, conversionUrl: `${url}-2`, certificateAuthority: 'PEM', failurePolicy: 'Ignore' };
    expect((await takeOver(false, functions(), next)).outcomes.map(({ outcome }) => outcome)).toEqual(
      Array(15).fill('switched'),
    );
    await giveBack();
    expect(installation.state()).toEqual(before);
  });

  it('keeps the Service of a release that was applied again', async () => {
    await takeOver();
    const newer = { service: { ...service, name: 'newer', path: '/convert' }, url: null };
    const crd = ['CustomResourceDefinition', 'machines.cluster.x-k8s.io'] as const;
    installation.change(...crd, { spec: { conversion: { webhook: { clientConfig: newer } } } });
    await takeOver();
    await giveBack();
    expect(installation.find(...crd)['spec']).toMatchObject({
      conversion: { webhook: { clientConfig: { service: { name: 'newer' } } } },
    });
  });

  it('leaves out what is not asked for, is not installed or does not convert', async () => {
    installation.objects.delete('CustomResourceDefinition/ipaddresses.ipam.cluster.x-k8s.io');
    installation.change('CustomResourceDefinition', 'ipaddressclaims.ipam.cluster.x-k8s.io', {
      spec: { conversion: { strategy: 'None', webhook: null } },
    });
    const { outcomes } = await takeOver(false, functions(), { url: undefined });
    expect(outcomes.filter(({ outcome }) => outcome === 'unchanged')).toEqual([
      {
        ...{ kind: 'CustomResourceDefinition', outcome: 'unchanged' },
        name: 'ipaddresses.ipam.cluster.x-k8s.io',
        why: 'is not installed',
      },
      {
        ...{ kind: 'CustomResourceDefinition', outcome: 'unchanged' },
        name: 'ipaddressclaims.ipam.cluster.x-k8s.io',
        why: 'has no conversion webhook',
      },
    ]);
    expect(outcomes).toHaveLength(13);
    expect((await takeOver(true, functions(), { conversionUrl: undefined })).outcomes).toHaveLength(2);
  });

  it('leaves out the hooks that policies replace, also afterwards, and restores them', async () => {
    const policies = [...kindPolicies.flatMap(each => each.bindings), ...defaultPolicies.flatMap(([, all]) => all)];
    for (const { apiVersion, kind, metadata } of policies) {
      installation.put({ apiVersion, kind, name: metadata.name }, {});
    }
    const before = installation.state();
    const countOf = (kind: string, type: string): number =>
      Object(installation.find(kind, `capi-${type}-webhook-configuration`)['webhooks']).length;
    const counts = () => [
      countOf('MutatingWebhookConfiguration', 'mutating'),
      countOf('ValidatingWebhookConfiguration', 'validating'),
    ];
    await takeOver(false, functions(), { policies: 'checks' });
    expect(counts()).toEqual([8, 3]);
    expect((await takeOver(false, functions(), { policies: 'defaults' })).problems).toEqual([]);
    expect(counts()).toEqual([2, 3]);
    await giveBack();
    expect(installation.state()).toEqual(before);
  });

  it('leaves out no hook without the bindings of policies', async () => {
    const before = installation.state();
    expect((await takeOver(false, functions(), { policies: 'checks' })).problems).toEqual([
      'ValidatingAdmissionPolicyBinding machines.capi-serverless.dev and 10 more do not exist, so writes would not be checked. Apply infra/kubernetes/policies first',
    ]);
    expect(installation.state()).toEqual(before);
    const failure = { reason: 'Forbidden', code: 403, message: 'no right' };
    const client = { ...installation.client, get: async () => ({ ok: false, missing: false, failure }) as never };
    await expect(
      decideTakeOver(client, { ...options, conversionUrl: undefined, policies: 'checks' }, functions()),
    ).rejects.toThrow(
      new UsageError('ValidatingAdmissionPolicyBinding machines.capi-serverless.dev cannot be read: no right'),
    );
  });

  it('reads an object again that was changed meanwhile, and decides again', async () => {
    const crd = ['CustomResourceDefinition', 'clusters.cluster.x-k8s.io'] as const;
    installation.meanwhile = () => {
      installation.meanwhile = undefined;
      installation.change(...crd, { metadata: { annotations: { a: 'b' } } });
    };
    const { outcomes } = await takeOver();
    expect(new Set(outcomes.map(({ outcome }) => outcome))).toEqual(new Set(['switched']));
    await giveBack();
    expect(installation.find(...crd).metadata.annotations).toEqual({ ...injection, a: 'b' });
  });

  it('refuses an object that must not be switched since a change meanwhile', async () => {
    const crd = ['CustomResourceDefinition', 'clusters.cluster.x-k8s.io'] as const;
    installation.meanwhile = () => {
      installation.meanwhile = undefined;
      installation.change(...crd, { status: { storedVersions: ['v1alpha4', 'v1beta2'] } });
    };
    expect(refusals((await takeOver()).outcomes)).toEqual([
      'clusters.cluster.x-k8s.io has versions that the conversion function does not know: v1alpha4',
    ]);
  });

  it('gives up after ten conflicts about one object, and can be repeated', async () => {
    const name = 'clusters.cluster.x-k8s.io';
    const written: string[] = [];
    installation.meanwhile = (one: string) => {
      written.push(one);
      if (one === name) {
        installation.change(kind, name, {});
      }
    };
    const { outcomes } = await takeOver();
    installation.meanwhile = undefined;
    expect(outcomes.filter(({ outcome }) => outcome !== 'switched')).toMatchObject([
      { name, outcome: 'not written', why: 'was changed' },
    ]);
    expect(written.filter(one => one === name)).toHaveLength(10);
    expect((await takeOver()).outcomes.filter(({ outcome }) => outcome === 'switched')).toHaveLength(1);
  });

  it('leaves out an object that is deleted meanwhile', async () => {
    installation.meanwhile = name => installation.objects.delete(`${kind}/${name}`);
    const { outcomes } = await takeOver(false, functions(), { url: undefined });
    expect(new Set(outcomes.map(({ outcome, why }) => `${outcome}: ${why}`))).toEqual(
      new Set(['unchanged: is not installed']),
    );
  });
});

describe('a take-over writes nothing', () => {
  const crd = ['CustomResourceDefinition', 'machines.cluster.x-k8s.io'] as const;
  const configuration = ['ValidatingWebhookConfiguration', 'capi-validating-webhook-configuration'] as const;
  const version = (name: string, storage: boolean) => ({ name, served: true, storage });
  const hook = (rule: object) => ({
    ...{ name: 'validation.x.example.com', clientConfig: { service: { ...service, path: '/x' } } },
    rules: [{ apiGroups: ['cluster.x-k8s.io'], resources: ['machines'], operations: ['CREATE'], ...rule }],
  });

  it.each([
    {
      reason: 'an unknown version is served',
      change: () =>
        installation.change(...crd, { spec: { versions: [version('v1', false), version('v1beta2', true)] } }),
      refusal: 'machines.cluster.x-k8s.io has versions that the conversion function does not know: v1',
    },
    {
      reason: 'an unknown version was stored',
      change: () => installation.change(...crd, { status: { storedVersions: ['v1alpha4', 'v1beta2'] } }),
      refusal: 'machines.cluster.x-k8s.io has versions that the conversion function does not know: v1alpha4',
    },
    {
      reason: 'an older version is stored',
      change: () =>
        installation.change(...crd, { spec: { versions: [version('v1beta1', true), version('v1beta2', false)] } }),
      refusal: 'machines.cluster.x-k8s.io stores v1beta1, not v1beta2',
    },
    {
      reason: 'a kind has no hook of ours',
      change: () => installation.change(...configuration, { webhooks: [hook({ resources: ['widgets'] })] }),
      refusal:
        'capi-validating-webhook-configuration has hooks that the admission function does not serve: validation.x.example.com (CREATE of widgets.cluster.x-k8s.io)',
    },
    {
      reason: 'an operation has no hook of ours',
      change: () => installation.change(...configuration, { webhooks: [hook({ operations: ['CREATE', 'DELETE'] })] }),
      refusal:
        'capi-validating-webhook-configuration has hooks that the admission function does not serve: validation.x.example.com (DELETE of machines.cluster.x-k8s.io)',
    },
    {
      reason: 'there is no configuration',
      change: () => installation.objects.delete(configuration.join('/')),
      refusal:
        'capi-validating-webhook-configuration does not exist: create it with "capi-serverless webhooks --url URL | kubectl create -f -"',
    },
  ])('if $reason', async ({ change, refusal }) => {
    change();
    const before = installation.state();
    const { outcomes } = await takeOver();
    expect(refusals(outcomes)).toEqual([refusal]);
    expect(outcomes.map(({ outcome }) => outcome)).not.toContain('switched');
    expect(installation.state()).toEqual(before);
  });

  it.each([
    {
      post: async () => ({ status: 404, text: '' }),
      problem: 'https://functions.test answers HTTP status 404, as with another token',
    },
    { post: async () => ({ status: 502, text: '' }), problem: 'https://functions.test answers HTTP status 502' },
    { post: async () => ({ status: 200, text: '{}' }), problem: 'https://functions.test answers HTTP status 200' },
    { post: () => Promise.reject(new Error('connect ECONNREFUSED')), problem: 'connect ECONNREFUSED' },
  ])('if a function does not answer: $problem', async ({ post, problem }) => {
    const before = installation.state();
    const { problems } = await takeOver(false, post);
    expect(problems).toEqual([
      `The conversion function does not answer: ${problem}`,
      `The admission function does not answer: ${problem}`,
    ]);
    expect(installation.state()).toEqual(before);
  });

  it('if references would get another version than the provider has', async () => {
    installation.addProvider('OldMachine', 'v1beta1');
    const before = installation.state();
    const { problems } = await takeOver();
    expect(problems).toEqual([
      'The conversion function names other versions in references than the CRDs of providers here: OldMachine.infrastructure.cluster.x-k8s.io: v1beta1. It reads another API server, or the CRDs were changed within the last 5 minutes; then repeat the command',
    ]);
    expect(installation.state()).toEqual(before);
  });

  it.each([
    { result: { status: 'Failure', message: 'it may not read CRDs' }, reason: 'it may not read CRDs' },
    { result: {}, reason: 'without a reason' },
  ])('if the conversion function refuses to convert: $reason', async ({ result, reason }) => {
    const refuse: Post = async (_url, body) => {
      const { request } = JSON.parse(JSON.stringify(body));
      return { status: 200, text: JSON.stringify({ response: { uid: request.uid, allowed: true, result } }) };
    };
    const before = installation.state();
    const { problems } = await takeOver(false, refuse);
    expect(problems).toEqual([
      `The conversion function does not convert a Machine: ${reason}. It must reach this API server, and have the rights of "kubectl apply -k infra/kubernetes/conversion"`,
    ]);
    expect(installation.state()).toEqual(before);
  });
});

describe('the way back', () => {
  it('is refused while no Pod is ready behind the Service', async () => {
    await takeOver();
    installation.setEndpoints(false);
    const before = installation.state();
    const { problems } = await giveBack();
    expect(problems).toEqual([
      "No Pod is ready behind Service capi-system/capi-webhook-service, so writes of Cluster API objects would fail. Start upstream's manager first, with its watch filter",
    ]);
    expect(installation.state()).toEqual(before);
  });

  it.each([
    { text: null, reason: 'there is no annotation' },
    { text: '{"webhooks":', reason: 'it was changed by hand' },
  ])('is refused without the former value: $reason', async ({ text }) => {
    await takeOver();
    const name = 'capi-mutating-webhook-configuration';
    for (const [kind, each] of [
      ['MutatingWebhookConfiguration', name],
      ['CustomResourceDefinition', 'clusters.cluster.x-k8s.io'],
    ] as const) {
      installation.change(kind, each, { metadata: { annotations: { [formerAnnotation]: text } } });
    }
    const before = installation.state();
    const why = 'has no former value: use "kubectl replace -f" with that of the release of Cluster API';
    expect(refusals((await giveBack()).outcomes)).toEqual([`clusters.cluster.x-k8s.io ${why}`, `${name} ${why}`]);
    expect(installation.state()).toEqual(before);
  });

  it('only drops the annotation after a release was applied again', async () => {
    await takeOver();
    const crd = ['CustomResourceDefinition', 'machines.cluster.x-k8s.io'] as const;
    installation.change(...crd, {
      spec: { conversion: { webhook: { clientConfig: { service: { ...service, path: '/convert' } } } } },
    });
    const { outcomes } = await giveBack();
    expect(outcomes.find(({ name }) => name === crd[1])).toMatchObject({
      changes: [`- annotation ${formerAnnotation}`],
    });
  });
});
