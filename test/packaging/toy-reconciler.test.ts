// Executes docs/adding-a-reconciler.md in a copy of the project: the files, one line, `npm run generate`, and a local
// run.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import type { ObjectRef } from '../../packages/apimachinery/object.ts';
import { type LocalRun, startLocalRun } from '../support/local-run.ts';
import { connectWorldClient, type WorldClient } from '../support/world-client.ts';

const page = readFileSync(path.join(projectRoot, 'docs/adding-a-reconciler.md'), 'utf8');
const ref: ObjectRef = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'greeted' };
const greeting = 'toy.example.com/greeting';

/** Folders that a run in the copy does not need. */
const unneeded = /^(bench|test\/(?!support\/|simulation\/))/;

let copy: string;

beforeAll(() => {
  copy = copyOfTheTree();
  for (const { file, source } of filesOfThePage()) {
    mkdirSync(path.dirname(path.join(copy, file)), { recursive: true });
    writeFileSync(path.join(copy, file), source);
  }
  const list = path.join(copy, 'functions/reconcilers.ts');
  writeFileSync(list, readFileSync(list, 'utf8') + lineOfThePage());
  run('node', 'infra/kubernetes/generate.ts');
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

describe('a reconciler that is added as in docs/adding-a-reconciler.md', () => {
  it('changes its folders and one line outside generated files', () => {
    const changed = run('git', 'status', '--porcelain', '--untracked-files=all').split('\n').filter(Boolean);
    const files = changed.map(line => line.slice(3)).filter(file => !isGenerated(file));
    const foreign = files.filter(file => !/^(functions|test\/simulation\/workloads)\/toy\//.test(file));
    expect(foreign).toEqual(['functions/reconcilers.ts']);
    expect(run('git', 'diff', '--numstat', 'functions/reconcilers.ts')).toMatch(/^1\t0\t/);
  });

  it('has a role with a group binding, and a rule of the audit policy', () => {
    const [role] = generated('rbac/toy.yaml');
    expect(role).toMatchObject({ kind: 'ClusterRole', metadata: { name: 'capi-serverless-toy' } });
    expect(role?.rules).toContainEqual({ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'patch'] });
    expect(JSON.stringify(generated('rbac/bindings.yaml'))).toContain('capi-serverless:toy');
    expect(JSON.stringify(generated('audit/policy.yaml')[0]?.rules)).toContain('"configmaps"');
  });

  it('has a workload that the simulation finds and runs with faults', () => {
    const printed = run('node', 'test/simulation/main.ts', '--workload', 'greet', '--seed', '7');
    expect(printed).toContain('ended as the undisturbed run');
  });

  describe('in a local run', () => {
    let local: LocalRun;
    let client: WorldClient;

    beforeAll(async () => {
      local = startLocalRun({ args: ['--no-examples', '--json', '--port', '0'], root: copy });
      await local.line(({ event }) => event === 'started');
      client = await connectWorldClient(path.join(copy, 'dist/kubeconfig'));
    });

    afterAll(async () => {
      local.interrupt();
      await local.ended;
    });

    it('reconciles its objects from its queue, and is explained', async () => {
      const metadata = { namespace: 'default', name: 'greeted' };
      await client.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
      expect(await command('why', 'toy', 'default/greeted')).toEqual({
        code: 1,
        stdout: 'ConfigMap default/greeted waits for its greeting.\nWhat to do: see whether the functions run\n',
      });
      const labelled = { metadata: { labels: { 'toy.example.com/greet': 'you' } } };
      await client.patch(ref, labelled);
      const greeted = await client.until(ref, object => object?.metadata.annotations?.[greeting] === 'Hello you');
      expect(greeted?.metadata.annotations).toEqual({ [greeting]: 'Hello you' });
      const reconciles = local.facts().filter(fact => fact.fact === 'reconcile' && fact.reconciler === 'toy');
      expect(reconciles.length).toBeGreaterThan(0);
      expect((await command('why', 'toy', 'default/greeted')).code).toBe(0);
    });

    it('has a plan', async () => {
      const manifest = path.join(copy, 'dist/toy.yaml');
      const labels = '{ toy.example.com/greet: planner }';
      writeFileSync(
        manifest,
        `apiVersion: v1\nkind: ConfigMap\nmetadata: { namespace: default, name: other, labels: ${labels} }\n`,
      );
      const { code, stdout } = await command('plan', 'toy', 'default/other', '--files', manifest);
      expect(code).toBe(0);
      expect(stdout).toContain('1. patch ConfigMap default/other (greet)');
      expect(stdout).toContain('its label asks for "Hello planner"');
    });
  });
});

/** Copies tracked and new files to a separate repository. */
function copyOfTheTree(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'capi-toy-'));
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: projectRoot,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  for (const file of listed.split('\0').filter(name => name !== '' && !unneeded.test(name))) {
    cpSync(path.join(projectRoot, file), path.join(folder, file), { recursive: true, force: true });
  }
  linkModules(folder);
  const author = ['-c', 'user.name=toy', '-c', 'user.email=toy@example.com', '-c', 'commit.gpgsign=false'];
  for (const args of [
    ['init', '-q'],
    ['add', '-A'],
    [...author, 'commit', '-qm', 'The tree'],
  ]) {
    execFileSync('git', args, { cwd: folder });
  }
  return folder;
}

/** Third-party packages come from the project. Packages of this repository come from the copy. */
function linkModules(folder: string): void {
  const [from, to] = [path.join(projectRoot, 'node_modules'), path.join(folder, 'node_modules')];
  mkdirSync(path.join(to, '@capi-serverless'), { recursive: true });
  for (const entry of readdirSync(from).filter(name => name !== '@capi-serverless')) {
    symlinkSync(path.join(from, entry), path.join(to, entry));
  }
  for (const name of readdirSync(path.join(folder, 'packages'))) {
    symlinkSync(path.join(folder, 'packages', name), path.join(to, '@capi-serverless', name));
  }
}

function filesOfThePage(): readonly { readonly file: string; readonly source: string }[] {
  const blocks = [
    ...page.matchAll(/^`((?:functions|test\/simulation\/workloads)\/toy\/[^`]+)`[^\n]*\n\n```ts\n([\s\S]*?)```/gm),
  ];
  return blocks.map(([, file = '', source = '']) => ({ file, source }));
}

function lineOfThePage(): string {
  const [, line = ''] = /^In `functions\/reconcilers.ts`:\n\n```ts\n([\s\S]*?)```/m.exec(page) ?? [];
  return line;
}

function isGenerated(file: string): boolean {
  return /^(Generated from|\/\/ Generated from|# Generated from)/.test(readFileSync(path.join(copy, file), 'utf8'));
}

function generated(file: string): readonly { readonly rules?: readonly unknown[] }[] {
  const documents = parseAllDocuments(readFileSync(path.join(copy, 'infra/kubernetes', file), 'utf8'));
  return documents.map(document => document.toJS());
}

function run(program: string, ...args: readonly string[]): string {
  const executable = program === 'node' ? process.execPath : program;
  return execFileSync(executable, args, { cwd: copy, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

async function command(name: string, ...args: readonly string[]) {
  const child = spawn(process.execPath, ['cli/main.ts', name, ...args], {
    cwd: copy,
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [[code], stdout] = await Promise.all([once(child, 'close'), text(child.stdout)]);
  return { code, stdout };
}
