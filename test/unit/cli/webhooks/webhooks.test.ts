import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { webhooksCommand } from '../../../../cli/webhooks/command.ts';
import { parseWebhooksOptions } from '../../../../cli/webhooks/options.ts';

const url = 'https://abc.lambda-url.eu-central-1.on.aws/token-of-the-hooks';

async function printed(...args: readonly string[]): Promise<string> {
  const lines: string[] = [];
  expect(await webhooksCommand.run(args, text => lines.push(text))).toBe(0);
  return lines.join('\n');
}

interface Configuration {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly webhooks: readonly {
    readonly name: string;
    readonly clientConfig: { readonly url: string; readonly caBundle?: string };
    readonly failurePolicy: string;
    readonly rules: readonly { readonly operations: readonly string[]; readonly resources: readonly string[] }[];
  }[];
}

const read = (text: string): readonly Configuration[] => parseAllDocuments(text).map(document => document.toJS());

describe('the command line of webhooks', () => {
  it('fails closed by default', () => {
    expect(parseWebhooksOptions(['--url', `${url}/`])).toEqual({
      action: 'print',
      url,
      caFile: undefined,
      failurePolicy: 'Fail',
      policies: 'none',
      json: false,
    });
    expect(parseWebhooksOptions(['--help'])).toBe('help');
  });

  it('switches with a kubeconfig', () => {
    const from = ['--kubeconfig', 'k', '--dry-run'];
    expect(parseWebhooksOptions(['take-over', ...from, '--conversion-url', `${url}/`])).toEqual({
      ...{ action: 'take-over', kubeconfig: 'k', dryRun: true, json: false, url: undefined, conversionUrl: url },
      ...{ caFile: undefined, failurePolicy: 'Fail', policies: 'none' },
    });
    expect(parseWebhooksOptions(['give-back', ...from])).toEqual({
      ...{ action: 'give-back', kubeconfig: 'k', dryRun: true, json: false },
    });
  });

  it.each([
    { args: [], problem: 'Which function? Pass --url URL; --help lists the options' },
    { args: ['--url', 'http://h/token'], problem: '--url is not an https address without user, query and fragment' },
    { args: ['--url', 'https://u:p@h/token'], problem: '--url is not an https address without user' },
    { args: ['--url', 'https://h/token?a=b'], problem: '--url is not an https address without user' },
    { args: ['--url', 'https://h/'], problem: '--url has no token: write it as https://HOST/TOKEN' },
    { args: ['--url', 'https://h/a/b'], problem: '--url has no token' },
    { args: ['--url', url, '--failure-policy', 'x'], problem: '--failure-policy "x" is neither Fail nor Ignore' },
    { args: ['--url', url, '--policies', 'x'], problem: '--policies "x" is none of none, checks, defaults' },
    { args: ['--url', url, '--nope'], problem: "Unknown option '--nope'" },
    { args: ['--url', url, '--dry-run'], problem: '--dry-run is no option of printing; --help lists them' },
    { args: ['take', '--url', url], problem: '"take" is neither take-over nor give-back; --help lists the options' },
    { args: ['take-over', 'now'], problem: '"now" is neither take-over nor give-back' },
    { args: ['take-over', '--url', url], problem: 'Which management cluster? Pass --kubeconfig FILE' },
    {
      args: ['take-over', '--kubeconfig', 'k'],
      problem: 'Which functions? Pass --url URL, --conversion-url URL or both',
    },
    { args: ['take-over', '--kubeconfig', 'k', '--conversion-url', 'x'], problem: '--conversion-url is not an https' },
    { args: ['give-back', '--kubeconfig', 'k', '--url', url], problem: '--url is no option of give-back' },
  ])('is refused: $problem', ({ args, problem }) => {
    expect(() => parseWebhooksOptions(args)).toThrow(problem);
  });
});

describe('the printed configurations', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'capi-webhooks-'));
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  it('replace those of upstream', async () => {
    const [mutating, validating] = read(await printed('--url', url));
    expect(mutating).toMatchObject({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: 'capi-mutating-webhook-configuration' },
    });
    expect(validating).toMatchObject({
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name: 'capi-validating-webhook-configuration' },
    });
    expect(mutating?.webhooks).toHaveLength(8);
    expect(validating?.webhooks).toHaveLength(13);
    expect(validating?.webhooks.find(({ name }) => name === 'validation.ipaddress.ipam.cluster.x-k8s.io')).toEqual({
      name: 'validation.ipaddress.ipam.cluster.x-k8s.io',
      admissionReviewVersions: ['v1'],
      clientConfig: { url: `${url}/validate-ipam-cluster-x-k8s-io-v1beta2-ipaddress` },
      failurePolicy: 'Fail',
      matchConditions: [
        {
          name: 'not-being-deleted',
          expression: 'request.operation != "UPDATE" || !has(oldObject.metadata.deletionTimestamp)',
        },
      ],
      matchPolicy: 'Equivalent',
      rules: [
        {
          apiGroups: ['ipam.cluster.x-k8s.io'],
          apiVersions: ['v1beta2'],
          operations: ['CREATE', 'UPDATE', 'DELETE'],
          resources: ['ipaddresses'],
        },
      ],
      sideEffects: 'None',
      timeoutSeconds: 10,
    });
    expect(mutating?.webhooks.every(({ rules }) => !rules[0]?.operations.includes('DELETE'))).toBe(true);
  });

  it('have the certificates and the policy of the options, also in JSON', async () => {
    const ca = path.join(folder, 'ca.pem');
    writeFileSync(ca, 'PEM');
    const text = await printed('--url', url, '--ca', ca, '--failure-policy', 'Ignore', '--json');
    const { kind, items }: { readonly kind: string; readonly items: readonly Configuration[] } = JSON.parse(text);
    expect(kind).toBe('List');
    for (const { clientConfig, failurePolicy } of items.flatMap(({ webhooks }) => webhooks)) {
      expect(clientConfig.caBundle).toBe(Buffer.from('PEM').toString('base64'));
      expect(failurePolicy).toBe('Ignore');
    }
  });

  it('have no hooks for what policies check and set', async () => {
    const namesOf = async (use: string) =>
      read(await printed('--url', url, '--policies', use)).map(({ webhooks }) => webhooks.map(({ name }) => name));
    const [clusters, classes] = ['cluster.cluster.x-k8s.io', 'clusterclass.cluster.x-k8s.io'];
    const checks = [clusters, classes, 'extensionconfig.runtime.cluster.x-k8s.io'].map(name => `validation.${name}`);
    const defaults = [`default.${clusters}`, 'default.extensionconfig.runtime.addons.cluster.x-k8s.io'];
    expect(await namesOf('checks')).toEqual([expect.arrayContaining(['default.machine.cluster.x-k8s.io']), checks]);
    expect(await namesOf('defaults')).toEqual([defaults, checks]);
    expect((await namesOf('none')).map(({ length }) => length)).toEqual([8, 13]);
  });

  it('need certificates that can be read', async () => {
    await expect(webhooksCommand.run(['--url', url, '--ca', path.join(folder, 'no')], () => undefined)).rejects.toThrow(
      'cannot be read: ENOENT',
    );
  });
});
