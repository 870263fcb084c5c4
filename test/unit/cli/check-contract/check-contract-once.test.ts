import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startApiServer, writeKubeconfig } from '@capi-serverless/apiserver';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { checkContractOnce } from '../../../../cli/check-contract/check-contract-once.ts';
import { parseContractOptions } from '../../../../cli/check-contract/options.ts';
import { connect } from '../../../../local/connect.ts';
import { UsageError } from '../../../../local/usage-error.ts';
import { definitionOf, memberDefinitions } from '../../../support/provider-definitions.ts';

let folder = '';
const file = (name: string): string => path.join(folder, name);

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'check-contract-'));
  writeFileSync(file('sound.yaml'), memberDefinitions.map(each => stringify(each)).join('---\n'));
  const strange = definitionOf({ kind: 'RockCluster', group: 'rock.example.com', contract: 'v1beta2' });
  writeFileSync(file('doubtful.yaml'), stringify(strange));
  writeFileSync(file('wrong.yaml'), stringify({ ...strange, metadata: { name: strange.metadata.name } }));
});

afterAll(() => rmSync(folder, { recursive: true }));

async function run(...args: readonly string[]): Promise<{ readonly code: number; readonly text: string }> {
  const options = parseContractOptions(args);
  if (options === 'help') {
    throw new Error('asked for help');
  }
  let text = '';
  const code = await checkContractOnce(options, part => {
    text += part;
  });
  return { code, text };
}

describe('the command', () => {
  test.each([
    { reason: 'nothing is wrong', args: ['sound.yaml'], code: 0 },
    { reason: 'something may be wrong', args: ['doubtful.yaml'], code: 0 },
    { reason: 'something is wrong', args: ['wrong.yaml'], code: 1 },
  ])('answers $code where $reason', async ({ args, code }) => {
    expect((await run(...args.map(file))).code).toBe(code);
  });

  test('fails for warnings with --strict', async () => {
    const { code, text } = await run('--strict', file('doubtful.yaml'));
    expect(code).toBe(1);
    expect(text).toContain(
      'doubtful.yaml:8:3: warning: CustomResourceDefinition rockclusters.rock.example.com: spec.group',
    );
  });

  test('checks a server as well', async () => {
    const server = await startApiServer();
    const kubeconfig = file('kubeconfig');
    writeKubeconfig(kubeconfig, server.kubeconfig);
    const connection = await connect(kubeconfig);
    try {
      for (const object of memberDefinitions) {
        await connection.kubernetes.create(object);
      }
      await connection.kubernetes.create({
        apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
        kind: 'RockMachine',
        metadata: {
          name: 'one',
          namespace: 'default',
          ownerReferences: [{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'one', uid: '1' }],
        },
      });
      const { code, text } = await run('--kubeconfig', kubeconfig);
      expect(code).toBe(1);
      expect(text).toContain(
        `${server.url}: error: RockMachine default/one: metadata.labels: cluster.x-k8s.io/cluster-name is missing`,
      );
      expect((await run('--kubeconfig', kubeconfig, '--format', 'github', file('sound.yaml'))).text).toContain(
        '::error title=RockMachine default/one%3A metadata.labels::',
      );
    } finally {
      await connection.close();
      await server.stop();
    }
  });
});

describe('the command line', () => {
  test.each([
    { reason: 'neither file nor server', args: [], error: 'Name the files to check, or --kubeconfig' },
    { reason: 'an empty name', args: [''], error: 'Name the files to check' },
    { reason: 'an empty kubeconfig', args: ['--kubeconfig', ''], error: '--kubeconfig names no file' },
    { reason: 'an unknown format', args: ['--format', 'xml', 'a'], error: 'There is no format "xml"' },
    {
      reason: 'two formats',
      args: ['--json', '--format', 'github', 'a'],
      error: '--json cannot go with --format github',
    },
    { reason: 'an unknown option', args: ['--fix', 'a'], error: '--fix' },
  ])('refuses $reason', ({ args, error }) => {
    expect(() => parseContractOptions(args)).toThrow(UsageError);
    expect(() => parseContractOptions(args)).toThrow(error);
  });

  test.each([
    { args: ['a'], format: 'text' },
    { args: ['--json', 'a'], format: 'json' },
    { args: ['--json', '--format', 'json', 'a'], format: 'json' },
    { args: ['--format', 'github', 'a'], format: 'github' },
  ])('prints $format with $args', ({ args, format }) => {
    expect(parseContractOptions(args)).toMatchObject({ format });
  });

  test('knows help', () => {
    expect(parseContractOptions(['--help'])).toBe('help');
  });
});
