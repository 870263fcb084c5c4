import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkOnce } from '../../../../cli/check/check-once.ts';
import { type CheckOptions, parseCheckOptions } from '../../../../cli/check/options.ts';
import { UsageError } from '../../../../local/usage-error.ts';

const good = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: good}\n';
const bad = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {}\n';
const repeated = `${good}---\n${good}`;

let folder = '';

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'check-'));
  writeFileSync(path.join(folder, 'good.yaml'), good);
  writeFileSync(path.join(folder, 'bad.yml'), bad);
  writeFileSync(path.join(folder, 'notes.txt'), 'no manifest: [');
});

afterAll(() => rmSync(folder, { recursive: true }));

async function run(...args: readonly string[]): Promise<{ readonly code: number; readonly text: string }> {
  const options = parseCheckOptions(args);
  if (options === 'help') {
    throw new Error('asked for help');
  }
  let text = '';
  const code = await checkOnce(options, part => {
    text += part;
  });
  return { code, text };
}

describe('the command', () => {
  test('reports that there are no findings', async () => {
    const { code, text } = await run(path.join(folder, 'good.yaml'));
    expect(code).toBe(0);
    expect(text).toBe('1 object checked, 0 errors, 0 warnings\n');
  });

  test('reads the manifests of a directory, and fails for any of them', async () => {
    const { code, text } = await run(folder);
    expect(code).toBe(1);
    expect(text.split('\n')).toEqual([
      expect.stringContaining('bad.yml:3:1: error: metadata.name is missing'),
      '1 object checked, 1 error, 0 warnings',
      '',
    ]);
  });

  test('names a file that cannot be read', async () => {
    await expect(run(path.join(folder, 'missing.yaml'))).rejects.toThrow(UsageError);
    await expect(run(path.join(folder, 'missing.yaml'))).rejects.toThrow(/missing\.yaml cannot be read/);
  });

  test('reports an object that is in two files', async () => {
    writeFileSync(path.join(folder, 'repeated.yaml'), repeated);
    const { code } = await run(path.join(folder, 'good.yaml'), path.join(folder, 'repeated.yaml'));
    expect(code).toBe(1);
  });
});

describe('what kubectl would send', () => {
  const group = 'cluster.x-k8s.io';
  const aCluster = (topology: string): string =>
    `apiVersion: ${group}/v1beta2\nkind: Cluster\nmetadata: {name: c}\nspec:\n  topology: ${topology}\n`;

  async function runOn(text: string, ...args: readonly string[]) {
    const file = path.join(folder, 'given.yaml');
    writeFileSync(file, text);
    const { code, text: printed } = await run(...args, file).finally(() => rmSync(file));
    return { code, printed };
  }

  test('is found in folders below', async () => {
    const below = path.join(folder, 'base', 'team');
    mkdirSync(below, { recursive: true });
    writeFileSync(path.join(below, 'bad.yaml'), bad);
    const { code, text } = await run(path.join(folder, 'base'));
    rmSync(path.join(folder, 'base'), { recursive: true });
    expect(code).toBe(1);
    expect(text).toContain(`team${path.sep}bad.yaml:3:1: error: metadata.name is missing`);
  });

  test('is not nothing', async () => {
    const empty = path.join(folder, 'empty');
    mkdirSync(empty);
    await expect(run(empty)).rejects.toThrow('empty contains no .yaml, .yml or .json file');
    rmSync(empty, { recursive: true });
    await expect(runOn('# nothing\n')).rejects.toThrow('given.yaml contains no object');
  });

  test('has a version that can be converted', async () => {
    const { code, printed } = await runOn(`apiVersion: ${group}/v1alpha4\nkind: ClusterClass\nmetadata: {name: old}\n`);
    expect(code).toBe(1);
    expect(printed).toContain(
      'error: ClusterClass default/old: apiVersion: was not checked: ClusterClass is read in v1beta2, not in v1alpha4; "clusterctl convert FILE" writes it in v1beta2',
    );
    expect(printed).not.toContain('note:');
  });

  test('has the types of YAML 1.1, and each surprising one is named', async () => {
    const { code, printed } = await runOn(
      aCluster(
        '{version: v1.36.0, classRef: {name: k}, controlPlane: {replicas: 010}}\nx: {on: off, n: "off", y_: 1_000, t: TRUE, f: 1.5}',
      ),
    );
    expect(printed.split('\n').filter(line => line.includes(': warning: '))).toEqual([
      expect.stringContaining(
        ':5:78: warning: Cluster default/c: 010 is the number 8 here; put it in quotes if it is a text',
      ),
      expect.stringContaining(':6:5: warning: Cluster default/c: on is the boolean true here'),
      expect.stringContaining(':6:9: warning: Cluster default/c: off is the boolean false here'),
      expect.stringContaining(':6:14: warning: Cluster default/c: n is the boolean false here'),
      expect.stringContaining(':6:28: warning: Cluster default/c: 1_000 is the number 1000 here'),
    ]);
    expect(code).toBe(1);
  });

  test('has the namespace of the command line, unless it names one', async () => {
    const text = `${good}---\n${good.replace('name: good', 'name: own, namespace: own')}`;
    const { printed } = await runOn(text.replaceAll('kind: ConfigMap', 'kind: ConfigMap\nunknown: 1'), '-n', 'prod');
    expect(printed).toContain('ConfigMap prod/good');
    expect(printed).toContain('ConfigMap own/own');
  });

  test('may have the class of a Cluster in another namespace, which is said', async () => {
    const klass = `apiVersion: ${group}/v1beta2\nkind: ClusterClass\nmetadata: {name: kiln}\n`;
    const cluster = aCluster('{version: v1.36.0, classRef: {name: kiln}}').replace(
      'name: c}',
      'name: c, namespace: prod}',
    );
    expect((await runOn(`${klass}---\n${cluster}`)).printed).toContain(
      'the class of Cluster c is not in the files, which have kiln in namespace default (-n sets the namespace of objects that name none): its variables',
    );
  });

  test('has values for placeholders, or one error for all of a file', async () => {
    const placeholder = (text: string): string => `\${${text}}`;
    const lines = [
      '',
      'version: v1.36.0',
      'classRef: {name: k}',
      'controlPlane:',
      `  replicas: ${placeholder('CP_COUNT')}`,
    ];
    const workers = [
      'workers:',
      '  machineDeployments:',
      '  - class: w',
      '    name: a',
      `    replicas: ${placeholder('WORKERS:=1')}`,
    ];
    const text = aCluster([...lines, ...workers].join('\n    '));
    const { code, printed } = await runOn(text);
    expect(code).toBe(1);
    const message = `${placeholder('CP_COUNT')} and 1 more have no value: give them with --substitute CP_COUNT=VALUE, or check what clusterctl generate or envsubst prints`;
    expect(printed).toContain(`:9:7: error: ${message}\n`);
    expect(printed).toContain('1 object checked, 1 error, ');
    expect(await runOn(text, '--substitute', 'CP_COUNT=1', '--substitute', 'WORKERS=2')).toMatchObject({ code: 0 });
  });
});

describe('the command line', () => {
  const plain = { format: 'text', strict: false, namespace: 'default', substitutes: new Map() } as const;

  test.each<{ readonly reason: string; readonly args: readonly string[]; readonly options: CheckOptions }>([
    { reason: 'files', args: ['a', 'b'], options: { ...plain, files: ['a', 'b'] } },
    {
      reason: 'everything',
      args: ['--format', 'github', '--strict', '-n', 'prod', '--substitute', 'A=1=2', '--substitute', 'B=', 'a'],
      options: {
        ...{ files: ['a'], format: 'github', strict: true, namespace: 'prod' },
        substitutes: new Map([
          ['A', '1=2'],
          ['B', ''],
        ]),
      },
    },
  ])('takes $reason', ({ args, options }) => {
    expect(parseCheckOptions(args)).toEqual(options);
  });

  test.each([
    { reason: 'no file', args: [], error: 'Name the files to check' },
    { reason: 'an empty name', args: [''], error: 'Name the files to check' },
    {
      reason: 'an unknown format',
      args: ['--format', 'xml', 'a'],
      error: 'There is no format "xml"; known are text, json, github',
    },
    { reason: 'a namespace that is none', args: ['-n', 'A b', 'a'], error: '-n "A b" names no namespace' },
    { reason: 'a value without name', args: ['--substitute', '=1', 'a'], error: '--substitute "=1" is not NAME=VALUE' },
    { reason: 'an unknown option', args: ['--fix', 'a'], error: '--fix' },
  ])('refuses $reason', ({ args, error }) => {
    expect(() => parseCheckOptions(args)).toThrow(UsageError);
    expect(() => parseCheckOptions(args)).toThrow(error);
  });

  test('knows help', () => {
    expect(parseCheckOptions(['--help'])).toBe('help');
  });
});
