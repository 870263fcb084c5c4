import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../../infra/local/options.ts';
import { parseReconcileOptions, toReconcileHelp } from '../../../../infra/local/reconcile-options.ts';

const reconcilers = ['cluster', 'machine'];
const running = { reconcilers, embeddedKubeconfig: '/p/dist/kubeconfig', exists: () => true };
const nothingRuns = { ...running, exists: () => false };

describe('the command line of a single reconcile', () => {
  it('names a reconciler and an object; the API server is that of the running local run', () => {
    expect(parseReconcileOptions(['cluster', 'default/plain'], running)).toEqual({
      reconciler: 'cluster',
      namespace: 'default',
      name: 'plain',
      kubeconfig: '/p/dist/kubeconfig',
      json: false,
    });
  });

  it('names an object without namespace by its name alone', () => {
    const surroundings = { ...running, reconcilers: ['extensionconfig'], clusterScoped: ['extensionconfig'] };
    expect(parseReconcileOptions(['extensionconfig', 'ext1'], surroundings)).toMatchObject({
      namespace: '',
      name: 'ext1',
    });
    expect(() => parseReconcileOptions(['extensionconfig', 'ns/ext1'], surroundings)).toThrow(
      new UsageError('"ns/ext1" names no object without namespace; write its NAME alone'),
    );
  });

  it.each([
    { surroundings: running, reason: 'the option goes first' },
    { surroundings: nothingRuns, reason: 'nothing else is needed' },
  ])('takes the kubeconfig that is given: $reason', ({ surroundings }) => {
    const args = ['--kubeconfig', 'k', 'machine', 'a/b', '--json'];
    expect(parseReconcileOptions(args, surroundings)).toMatchObject({
      reconciler: 'machine',
      kubeconfig: 'k',
      json: true,
    });
  });

  it('asks for help before anything else is judged', () => {
    expect(parseReconcileOptions(['--help', 'nobody'], nothingRuns)).toBe('help');
  });

  const expected =
    'Expected a reconciler and an object: npm run reconcile -- RECONCILER NAMESPACE/NAME; --help lists the options';

  it.each([
    { args: [], message: expected, reason: 'nothing given' },
    { args: ['cluster'], message: expected, reason: 'no object' },
    { args: ['cluster', 'default', 'plain'], message: expected, reason: 'namespace and name apart' },
    {
      args: ['clusters', 'a/b'],
      message: 'There is no reconciler "clusters"; known are cluster, machine',
      reason: 'typo',
    },
    {
      args: ['cluster', 'plain'],
      message: '"plain" names no object; write it as NAMESPACE/NAME',
      reason: 'no namespace',
    },
    { args: ['cluster', '/b'], message: '"/b" names no object; write it as NAMESPACE/NAME', reason: 'empty namespace' },
    { args: ['cluster', 'a/'], message: '"a/" names no object; write it as NAMESPACE/NAME', reason: 'empty name' },
    {
      args: ['cluster', 'v1/a/b'],
      message: '"v1/a/b" names no object; write it as NAMESPACE/NAME',
      reason: 'a part too many',
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
    const help = toReconcileHelp(reconcilers);
    for (const option of ['kubeconfig', 'json', 'help']) {
      expect(help).toContain(`\n  --${option} `);
    }
    expect(help).toContain('\nReconcilers: cluster, machine\n');
  });
});
