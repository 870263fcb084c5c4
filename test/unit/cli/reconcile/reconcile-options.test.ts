import { describe, expect, it } from 'vitest';
import { findSubject, parseReconcileOptions, toReconcileHelp } from '../../../../cli/reconcile/options.ts';
import { declarations } from '../../../../functions/declarations.ts';
import { UsageError } from '../../../../local/usage-error.ts';

const running = { embeddedKubeconfig: '/p/dist/kubeconfig', exists: () => true };
const nothingRuns = { ...running, exists: () => false };

describe('the command line of a single reconcile', () => {
  it('names a reconciler and an object; the API server is that of the running local run', () => {
    expect(parseReconcileOptions(['cluster', 'default/plain'], running)).toEqual({
      reconciler: 'cluster',
      object: 'default/plain',
      providers: [],
      kubeconfig: '/p/dist/kubeconfig',
      json: false,
    });
  });

  it.each([
    { context: running, reason: 'the option goes first' },
    { context: nothingRuns, reason: 'nothing else is needed' },
  ])('takes the kubeconfig that is given: $reason', ({ context }) => {
    const args = ['--kubeconfig', 'k', 'machine', 'a/b', '--json'];
    expect(parseReconcileOptions(args, context)).toMatchObject({
      reconciler: 'machine',
      kubeconfig: 'k',
      json: true,
    });
  });

  it('takes folders of providers, which may bring the reconciler that is named', () => {
    const args = ['rack-cluster', 'a/b', '--provider', '../rack/', '--provider', '../shelf'];
    expect(parseReconcileOptions(args, running)).toMatchObject({
      reconciler: 'rack-cluster',
      providers: ['../rack', '../shelf'],
    });
  });

  it('prints help before any other check', () => {
    expect(parseReconcileOptions(['--help', 'absent'], nothingRuns)).toBe('help');
  });

  const expected =
    'Expected a reconciler and an object: capi-serverless reconcile RECONCILER NAMESPACE/NAME; --help lists the options';

  it.each([
    { args: [], message: expected, reason: 'nothing given' },
    { args: ['cluster'], message: expected, reason: 'no object' },
    { args: ['cluster', 'default', 'plain'], message: expected, reason: 'namespace and name apart' },
    { args: ['cluster', 'a/b', '--provider', ''], message: '--provider names no folder', reason: 'an unset variable' },
    {
      args: ['cluster', 'a/b', '--provider', 'p', '--provider', 'p/'],
      message: '--provider p is given twice',
      reason: 'its reconcilers would be known twice',
    },
    {
      args: ['cluster', 'a/b', '--kubeconfig', ''],
      message: '--kubeconfig names no file',
      reason: 'an unset variable',
    },
    {
      args: ['cluster', 'a/b', '--watch'],
      message: "Unknown option '--watch'; --help lists the options",
      reason: 'an option of something else',
    },
  ])('refuses $args: $reason', ({ args, message }) => {
    expect(() => parseReconcileOptions(args, running)).toThrow(new UsageError(message));
  });

  it('names both ways to an API server when there is none', () => {
    expect(() => parseReconcileOptions(['cluster', 'a/b'], nothingRuns)).toThrow(
      new UsageError(
        'No API server to work on: pass --kubeconfig FILE, or start a local run, which writes /p/dist/kubeconfig',
      ),
    );
  });

  it('has a line of help for every option, and names the reconcilers', () => {
    const help = toReconcileHelp(['cluster', 'machine']);
    for (const option of ['provider', 'kubeconfig', 'json', 'help']) {
      expect(help).toContain(`\n  --${option} `);
    }
    expect(help).toContain('\nReconcilers: cluster, machine\n');
  });
});

describe('the object of a single reconcile', () => {
  const find = (reconciler: string, object: string, providers: readonly string[] = []) =>
    findSubject({ reconciler, object, providers }, declarations);

  it('is of the kind of the reconciler', () => {
    const { declaration, name } = find('cluster', 'default/plain');
    expect({ declared: declaration.name, name }).toEqual({
      declared: 'cluster',
      name: { namespace: 'default', name: 'plain' },
    });
  });

  it('is printed without namespace if its kind is cluster-scoped', () => {
    expect(find('extensionconfig', 'ext1').name).toEqual({ namespace: '', name: 'ext1' });
    expect(() => find('extensionconfig', 'ns/ext1')).toThrow(
      new UsageError('"ns/ext1" names no object without namespace; write only its NAME'),
    );
  });

  const known = declarations.map(({ name }) => name).join(', ');

  it.each([
    {
      providers: [],
      message: `There is no reconciler "clusters"; known are ${known}; --provider FOLDER adds those of your own provider`,
    },
    { providers: ['../rack'], message: `There is no reconciler "clusters"; known are ${known}` },
  ])('has a reconciler that is known, with providers $providers', ({ providers, message }) => {
    expect(() => find('clusters', 'a/b', providers)).toThrow(new UsageError(message));
  });

  it.each([
    { object: 'plain', reason: 'no namespace' },
    { object: '/b', reason: 'empty namespace' },
    { object: 'a/', reason: 'empty name' },
    { object: 'v1/a/b', reason: 'a part too many' },
  ])('is not written $object: $reason', ({ object }) => {
    expect(() => find('cluster', object)).toThrow(
      new UsageError(`"${object}" names no object; write it as NAMESPACE/NAME`),
    );
  });

  it.each([
    { object: 'ns/C1', part: 'name', rule: 'lower-case letters, digits, "-" and ".", at most 253 characters' },
    { object: 'ns/c%0', part: 'name', rule: '' },
    { object: `ns/${'a'.repeat(254)}`, part: 'name', rule: '' },
    { object: 'n.s/c1', part: 'namespace', rule: 'lower-case letters, digits and "-", at most 63 characters' },
  ])('is refused if no API server accepts the $part: $object', ({ object, part, rule }) => {
    const problem = `"${object}" names no object: the ${part} is not valid. A ${part} consists of ${rule}`;
    expect(() => find('cluster', object)).toThrow(problem);
  });
});
