import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { findDrift, runGenerate, writeOutputs } from '../../../../infra/kubernetes/generate.ts';
import { toManifest } from '../../../../infra/kubernetes/manifest-yaml.ts';
import { outputs } from '../../../../infra/kubernetes/outputs.ts';
import { toRole } from '../../../../infra/kubernetes/roles.ts';
import { coreCrds } from '../../../../shared/api/crds.ts';

const committed = fileURLToPath(new URL('../../../../infra/kubernetes/', import.meta.url));

describe('generated files', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'capi-generate-'));
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  test('match their sources when committed (fix: npm run generate)', () => {
    expect(findDrift(committed, outputs)).toEqual([]);
  });

  test('are all written, and then have no drift', () => {
    expect(writeOutputs(folder, outputs)).toEqual(outputs.map(({ path }) => path));
    expect(findDrift(folder, outputs)).toEqual([]);
    expect(writeOutputs(folder, outputs)).toEqual([]);
  });

  test('are named and repaired if they are missing, changed or obsolete', () => {
    const wanted = [
      { path: 'crds/a.yaml', text: 'a: 1\n' },
      { path: 'crds/b.yaml', text: 'b: 1\n' },
      { path: 'rbac/c.yaml', text: 'c: 1\n' },
    ];
    writeOutputs(folder, wanted);
    writeFileSync(join(folder, 'crds/a.yaml'), 'a: 2\n');
    rmSync(join(folder, 'rbac/c.yaml'));
    writeFileSync(join(folder, 'crds/gone.yaml'), 'nothing generates this any more\n');
    mkdirSync(join(folder, 'policies/gone'), { recursive: true });
    writeFileSync(join(folder, 'policies/gone/d.yaml'), 'nor this\n');
    const drift = ['crds/a.yaml', 'rbac/c.yaml', 'crds/gone.yaml', 'policies/gone/d.yaml'];
    expect(findDrift(folder, wanted)).toEqual(drift);
    expect(writeOutputs(folder, wanted)).toEqual(drift);
    expect(readdirSync(join(folder, 'crds'))).toEqual(['a.yaml', 'b.yaml']);
    expect(readFileSync(join(folder, 'crds/a.yaml'), 'utf8')).toBe('a: 1\n');
  });

  test('are checked by --check, which names each difference and the command that repairs it', () => {
    const lines: string[] = [];
    const target = {
      folder,
      outputs: [{ path: 'crds/a.yaml', text: 'a: 1\n' }],
      print: (line: string) => lines.push(line),
    };
    expect(runGenerate(['--check'], target)).toBe(1);
    expect(readdirSync(folder)).toEqual([]);
    expect(lines.slice(1)).toEqual(['  crds/a.yaml', 'Run: npm run generate']);
    expect(runGenerate([], target)).toBe(0);
    expect(lines.at(-1)).toBe('1 files generated, 1 changed');
    expect(runGenerate(['--check'], target)).toBe(0);
    expect(runGenerate(['--chek'], target)).toBe(2);
    expect(lines.at(-1)).toBe('Unknown option --chek; the only one is --check');
  });

  test('do not affect files in other folders', () => {
    mkdirSync(join(folder, 'deploy'));
    writeFileSync(join(folder, 'deploy/own.yaml'), 'written by hand\n');
    writeOutputs(folder, []);
    expect(readdirSync(join(folder, 'deploy'))).toEqual(['own.yaml']);
  });

  test('hold the definitions of the source', () => {
    for (const crd of coreCrds) {
      const text = readFileSync(join(committed, `crds/${crd.metadata.name}.yaml`), 'utf8');
      expect(parse(text)).toEqual(JSON.parse(JSON.stringify(crd)));
      expect(parse(text, { version: '1.1' })).toEqual(parse(text));
    }
  });
});

describe('the role of a function', () => {
  const role = toRole({
    name: 'widget',
    rules: [
      { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'create'], why: 'makes kubeconfigs' },
      { apiGroups: ['example.com'], resources: ['widgets', 'widgets/status'], verbs: ['get'], why: 'looks at them' },
    ],
  });

  test('grants the rules of its declaration', () => {
    expect(role.toJS()).toEqual({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'capi-serverless-widget', labels: { 'app.kubernetes.io/part-of': 'capi-serverless' } },
      rules: [
        { apiGroups: [''], resources: ['secrets'], verbs: ['get', 'create'] },
        { apiGroups: ['example.com'], resources: ['widgets', 'widgets/status'], verbs: ['get'] },
      ],
    });
  });

  test('has a comment with the purpose above each rule', () => {
    const text = toManifest('a test', role);
    expect(text).toMatch(/^# Generated from a test\. Do not edit/);
    expect(text).toMatch(/# makes kubeconfigs\n {2}- apiGroups:[^#]*secrets[^#]*# looks at them\n {2}- apiGroups:/);
  });
});
