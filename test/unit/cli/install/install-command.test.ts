import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { installCommand } from '../../../../cli/install/command.ts';
import { parseInstallOptions } from '../../../../cli/install/options.ts';

const url = 'https://abc.lambda-url.eu-central-1.on.aws/token-of-the-function';

interface Printed {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly spec?: { readonly versions?: readonly { readonly name: string }[]; readonly conversion?: unknown };
}

async function printed(...args: readonly string[]): Promise<string> {
  const lines: string[] = [];
  expect(await installCommand.run(['--print', ...args], text => lines.push(text))).toBe(0);
  return lines.join('\n');
}

const read = async (...args: readonly string[]): Promise<readonly Printed[]> =>
  parseAllDocuments(await printed(...args)).map(document => document.toJS());

const namesOf = (objects: readonly Printed[], kind: string): readonly string[] =>
  objects.filter(object => object.kind === kind).map(({ metadata }) => metadata.name);

describe('the command line of install', () => {
  it('has a management cluster, and the roles for all gates', () => {
    expect(parseInstallOptions(['--kubeconfig', 'k'])).toEqual({
      kubeconfig: 'k',
      conversionUrl: undefined,
      caFile: undefined,
      folders: [],
      roles: true,
      dryRun: false,
      json: false,
    });
    expect(parseInstallOptions(['--help'])).toBe('help');
  });

  it('has a function, its certificates, and further folders', () => {
    const more = [
      '--ca',
      'ca.pem',
      '--with',
      'account',
      '--with',
      'aggregated',
      '--without-rbac',
      '--dry-run',
      '--json',
    ];
    expect(parseInstallOptions(['--kubeconfig', 'k', '--conversion-url', `${url}/`, ...more])).toEqual({
      ...{ kubeconfig: 'k', conversionUrl: url, caFile: 'ca.pem', folders: ['account', 'aggregated'] },
      ...{ roles: false, dryRun: true, json: true },
    });
  });

  it.each([
    { args: [], problem: 'Which management cluster? Pass --kubeconfig FILE, or --print alone' },
    { args: ['--print', '--kubeconfig', 'k'], problem: 'Which management cluster?' },
    { args: ['--print', '--dry-run'], problem: '--print writes nothing, so --dry-run says nothing more; leave it out' },
    {
      args: ['--print', '--with', 'forwarder'],
      problem: '--with "forwarder" is none of account, aggregated, admission, conversion, policies, policy-defaults',
    },
    { args: ['--print', '--conversion-url', 'http://h/token'], problem: '--conversion-url is not an https address' },
    { args: ['--print', '--ca', 'ca.pem'], problem: '--ca has no use without --conversion-url' },
    { args: ['now', '--print'], problem: "Unexpected argument 'now'" },
  ])('is refused: $problem', ({ args, problem }) => {
    expect(() => parseInstallOptions(args)).toThrow(problem);
  });
});

describe('the printed manifests', () => {
  it('are in the order in which they are applied', async () => {
    const objects = await read();
    const kinds = [...new Set(objects.map(({ kind }) => kind))];
    expect(kinds.slice(0, 2)).toEqual(['Namespace', 'CustomResourceDefinition']);
    expect(kinds.at(-1)).toBe('Provider');
    expect(namesOf(objects, 'CustomResourceDefinition')).toHaveLength(14);
    expect(namesOf(objects, 'CustomResourceDefinition')).toEqual(
      expect.arrayContaining(['ipaddressclaims.ipam.cluster.x-k8s.io', 'providers.clusterctl.cluster.x-k8s.io']),
    );
    expect(namesOf(objects, 'ClusterRole')).toContain('capi-serverless-machinedeployment');
  });

  it('have the chosen roles', async () => {
    expect(namesOf(await read('--without-rbac'), 'ClusterRole')).toEqual([]);
    expect(namesOf(await read('--without-rbac', '--with', 'aggregated'), 'ClusterRole')).toEqual([
      'capi-serverless-providers',
    ]);
    expect(namesOf(await read('--with', 'account'), 'Namespace')).toEqual(['capi-serverless']);
  });

  it('have older versions and the role of the function that converts them', async () => {
    const objects = await read('--conversion-url', url);
    expect(namesOf(objects, 'ClusterRole')).toContain('capi-serverless-conversion');
    const machines = objects.find(({ metadata }) => metadata.name === 'machines.cluster.x-k8s.io');
    expect(machines?.spec?.versions?.map(({ name }) => name)).toEqual(['v1beta1', 'v1beta2']);
    expect(machines?.spec?.conversion).toMatchObject({ webhook: { clientConfig: { url: `${url}/convert` } } });
    expect(namesOf(await read('--conversion-url', url, '--without-rbac'), 'ClusterRole')).toEqual([]);
  });

  it('are one list in JSON', async () => {
    const { kind, items }: { readonly kind: string; readonly items: readonly Printed[] } = JSON.parse(
      await printed('--json'),
    );
    expect(kind).toBe('List');
    expect(items).toEqual(await read());
  });
});
