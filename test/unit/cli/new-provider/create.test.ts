import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createProvider, type Pack } from '../../../../cli/new-provider/create.ts';
import { toFiles } from '../../../../cli/new-provider/files.ts';
import { UsageError } from '../../../../local/usage-error.ts';

let home: string;

beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'capi-create-'));
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

const pack: Pack = async folder => {
  await writeFile(path.join(folder, 'package-1.tgz'), 'packed');
  return 'package-1.tgz';
};
const rack = (folder: string) => ({ name: 'rack', group: 'rack.example.com', folder: path.join(home, folder) });

describe('creating a provider', () => {
  it('creates the folder, and returns the written files', async () => {
    const files = await createProvider(rack('deep/new'), pack);
    expect(files).toContain('provider.ts');
    for (const file of files) {
      expect(readFileSync(path.join(home, 'deep/new', file), 'utf8')).not.toBe('');
    }
  });

  it('takes an empty folder', async () => {
    const empty = mkdtempSync(path.join(home, 'empty-'));
    await createProvider({ ...rack(''), folder: empty }, pack);
    expect(readdirSync(empty)).toContain('crds.yaml');
  });

  it('overwrites nothing, and names the existing file', async () => {
    writeFileSync(path.join(home, 'notes.txt'), 'mine');
    const creating = createProvider(rack('.'), pack);
    await expect(creating).rejects.toThrow(UsageError);
    await expect(creating).rejects.toThrow(
      'holds notes.txt already, and nothing is overwritten; name a new one by --folder',
    );
    expect(readdirSync(home)).toEqual(['notes.txt']);
  });

  it('refuses a file, and a folder below one', async () => {
    writeFileSync(path.join(home, 'file'), 'mine');
    await expect(createProvider(rack('file'), pack)).rejects.toThrow(/^Folder \S+file cannot be used: /);
    await expect(createProvider(rack('file/below'), pack)).rejects.toThrow(UsageError);
    expect(readFileSync(path.join(home, 'file'), 'utf8')).toBe('mine');
  });
});

describe('the files of a provider', () => {
  const textOf = (group: string, name: string): string =>
    toFiles({ name: 'rack', group, folder: 'f' }, 'p.tgz').find(file => file.name === name)?.text ?? '';

  it('need a ClusterRole only for a different API group', () => {
    expect(textOf('rack.example.com', 'crds.yaml')).toContain('cluster.x-k8s.io/aggregate-to-manager: "true"');
    expect(textOf('infrastructure.cluster.x-k8s.io', 'crds.yaml')).not.toContain('ClusterRole');
    expect(textOf('infrastructure.cluster.x-k8s.io', 'README.md')).not.toContain('ClusterRole');
  });

  it('install the packed package and the versions that this project has', () => {
    const { dependencies, devDependencies } = JSON.parse(textOf('rack.example.com', 'package.json'));
    const own = JSON.parse(readFileSync(path.join(import.meta.dirname, '../../../../package.json'), 'utf8'));
    expect(dependencies).toEqual({ 'capi-serverless': 'file:vendor/p.tgz', zod: own.dependencies.zod });
    expect(devDependencies).toMatchObject({ typescript: own.devDependencies.typescript, yaml: own.dependencies.yaml });
  });

  it('bring the Node of this project for each platform, and the script that links it', () => {
    const { optionalDependencies, scripts } = JSON.parse(textOf('rack.example.com', 'package.json'));
    const cli = path.join(import.meta.dirname, '../../../../cli');
    expect(optionalDependencies).toEqual(
      JSON.parse(readFileSync(path.join(cli, 'package.json'), 'utf8')).optionalDependencies,
    );
    expect(scripts.prepare).toBe('node tools/link-node.js');
    for (const name of ['link-node.js', 'installed-node.js']) {
      expect(textOf('rack.example.com', `tools/${name}`)).toBe(readFileSync(path.join(cli, name), 'utf8'));
    }
  });

  it('are plain ones: the code of the provider is short', () => {
    const code = textOf('rack.example.com', 'provider.ts')
      .split('\n')
      .filter(line => line.trim() !== '' && !/^\s*(\/\/|\/\*\*)/.test(line));
    expect(code.length).toBeLessThan(60);
  });
});
