// Executes docs/adding-a-reconciler.md in a copy of the project: the files, one line, `npm run generate`, lint, the unit
// tests, and a local run.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { type ObjectRef, toRecord, type Unstructured } from '@capi-serverless/apimachinery';
import { storedConditions } from '@capi-serverless/cluster-api/conditions';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { currentBundles, currentFolder, metafileOf } from '../../infra/bundles/current.ts';
import { toLocalFunctions } from '../../local/local-functions.ts';
import { localDeclarations } from '../../local/provider/declarations.ts';
import { type LocalRun, startLocalRun } from '../support/local-run.ts';
import { raisedLimits } from '../support/time-limits.ts';
import { connectWorldClient, type WorldClient } from '../support/world-client.ts';
import { modules, readImportGraph, type SourceFile } from '../unit/architecture/import-graph.ts';

const page = readFileSync(path.join(projectRoot, 'docs/adding-a-reconciler.md'), 'utf8');
const place = { namespace: 'default', name: 'hello' };
const ref: ObjectRef = { apiVersion: 'toy.example.com/v1', kind: 'Greeting', ...place };
const published: ObjectRef = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'hello-greeting' };
const paused = 'cluster.x-k8s.io/paused';

let copy: string;

beforeAll(() => {
  copy = copyOfTheTree();
  for (const { file, source } of filesOfThePage()) {
    mkdirSync(path.dirname(path.join(copy, file)), { recursive: true });
    writeFileSync(path.join(copy, file), source);
  }
  const list = path.join(copy, 'functions/reconcilers.ts');
  writeFileSync(list, readFileSync(list, 'utf8') + lineOfThePage());
  run('npm', 'run', '--silent', 'generate');
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

describe('a reconciler that is added as in docs/adding-a-reconciler.md', () => {
  it('changes its folders and one line outside generated files', () => {
    const files = changedFiles().filter(file => !isGenerated(file));
    const foreign = files.filter(file => !/^(functions|test\/simulation\/workloads)\/toy\//.test(file));
    expect(foreign).toEqual(['README.md', 'docs/costs.md', 'functions/reconcilers.ts']);
    expect(run('git', 'diff', '--numstat', 'functions/reconcilers.ts')).toMatch(/^1\t0\t/);
  });

  it('has a role with a group binding, and a rule of the audit policy', () => {
    const [role] = generated('rbac/toy.yaml');
    expect(role).toMatchObject({ kind: 'ClusterRole', metadata: { name: 'capi-serverless-toy' } });
    expect(role?.rules).toContainEqual({
      apiGroups: ['toy.example.com'],
      resources: ['greetings'],
      verbs: ['get', 'patch'],
    });
    expect(JSON.stringify(generated('rbac/bindings.yaml'))).toContain('capi-serverless:toy');
    expect(JSON.stringify(generated('audit/policy.yaml')[0]?.rules)).toContain('toy.example.com');
  });

  it('passes lint and the type check', () => {
    // The formatter and the linter judge each file by itself.
    run('npx', 'biome', 'check', '--error-on-warnings', '--files-ignore-unknown=true', ...changedFiles());
    run('npx', 'knip', '--no-progress');
    run('npx', 'knip', '--no-progress', '--production');
    run('npx', 'tsc');
  });

  it('passes the unit tests that it can affect', () => {
    const files = affectedTests();
    expect(files).toContain('test/unit/architecture/arrows.test.ts');
    run('npx', 'vitest', 'run', '--project', 'unit', '--project', 'unit-uncovered', '--reporter', 'dot', ...files);
  });

  it('has a workload that the simulation finds and runs with faults', () => {
    const printed = run('node', 'test/simulation/main.ts', '--workload', 'greet', '--seed', '7');
    expect(printed).toContain('ended as the undisturbed run');
  });

  describe('in a local run', () => {
    let local: LocalRun;
    let client: WorldClient;

    beforeAll(async () => {
      await copyUnchangedBundles();
      local = startLocalRun({ args: ['--no-examples', '--json', '--port', '0'], root: copy });
      await local.line(({ event }) => event === 'started');
      client = await connectWorldClient(path.join(copy, 'dist/kubeconfig'));
    });

    afterAll(async () => {
      local.interrupt();
      await local.ended;
    });

    it('reconciles its objects from its queue, and is explained', async () => {
      await client.create(parse(readFileSync(path.join(copy, 'functions/toy/crd.yaml'), 'utf8')));
      await client.create({ ...toObject(ref), spec: { text: 'Hello you' } });
      const greeted = await client.until(ref, object => statusOf(object, 'Published') === 'True');
      expect(greeted?.metadata.finalizers).toEqual(['toy.example.com/greeting']);
      expect(await client.until(published, object => object !== undefined)).toMatchObject({
        data: { text: 'Hello you' },
      });
      const reconciles = local.facts().filter(fact => fact.fact === 'reconcile' && fact.reconciler === 'toy');
      expect(reconciles.length).toBeGreaterThan(0);
      expect((await command('why', 'toy', 'default/hello')).code).toBe(0);
    });

    it('does nothing for a paused object, and says so', async () => {
      await client.patch(ref, { metadata: { annotations: { [paused]: '' } }, spec: { text: 'Later' } });
      await client.until(ref, object => statusOf(object, 'Paused') === 'True');
      expect(await client.until(published, object => object !== undefined)).toMatchObject({
        data: { text: 'Hello you' },
      });
      await client.patch(ref, { metadata: { annotations: { [paused]: null } } });
      await client.until(published, object => JSON.stringify(object).includes('Later'));
    });

    it('has a plan', async () => {
      const manifest = path.join(copy, 'dist/toy.yaml');
      writeFileSync(
        manifest,
        `apiVersion: ${ref.apiVersion}\nkind: Greeting\nmetadata: { namespace: default, name: hello }\nspec: { text: Goodbye }\n`,
      );
      const { code, stdout } = await command('plan', 'toy', 'default/hello', '--files', manifest);
      expect(code).toBe(0);
      expect(stdout).toContain('apply ConfigMap default/hello-greeting, which is new (publish)');
      expect(stdout).toContain('the ConfigMap does not have the text');
    });

    it('removes its finalizer after what it made', async () => {
      await client.remove(ref);
      await client.until(ref, object => object === undefined);
      await client.until(published, object => object === undefined);
    });
  });
});

function toObject({ apiVersion, kind }: ObjectRef) {
  return { apiVersion, kind, metadata: place };
}

function statusOf(object: Unstructured | undefined, type: string): string | undefined {
  return storedConditions(toRecord(object?.status)['conditions']).find(condition => condition.type === type)?.status;
}

/** Copies tracked and new files to a separate repository. */
function copyOfTheTree(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'capi-toy-'));
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: projectRoot,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  for (const file of listed.split('\0').filter(name => name !== '')) {
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

/** The files that differ from the tree, new ones included. */
function changedFiles(): readonly string[] {
  const lines = run('git', 'status', '--porcelain', '--untracked-files=all').split('\n').filter(Boolean);
  return lines.map(line => line.slice(3));
}

const readsTheTree = /^node:(fs|child_process)/;

/**
 * The unit tests that import the list of reconcilers, or whose own code or generators read files of the tree. Those of
 * packages and of other reconcilers depend on neither (test/unit/architecture/arrows.test.ts). Hostile inputs go to
 * reconcilers that their tests name.
 */
function affectedTests(): readonly string[] {
  const tools = ['test', 'docs', 'infra', 'bench', 'examples'];
  const graph = new Map(
    readImportGraph([...modules, 'test', 'docs', 'bench', 'examples']).map(each => [each.file, each]),
  );
  const isTool = (file: string): boolean => tools.includes(file.split('/')[0] ?? '');
  const isAffected = (test: string): boolean =>
    reachedFrom(test, graph).some(
      ({ file, packages }) =>
        file === 'functions/reconcilers.ts' || (isTool(file) && packages.some(name => readsTheTree.test(name))),
    );
  return [...graph.keys()].filter(
    file => /^test\/unit\/(?!packages\/|functions\/|hostile\/).*\.test\.ts$/.test(file) && isAffected(file),
  );
}

function reachedFrom(start: string, graph: ReadonlyMap<string, SourceFile>): readonly SourceFile[] {
  const reached = new Set([start]);
  // A set is iterated in the order of insertion, and includes what the loop adds.
  for (const file of reached) {
    for (const imported of graph.get(file)?.imports ?? []) {
      reached.add(imported);
    }
  }
  return [...reached].flatMap(file => graph.get(file) ?? []);
}

/** A bundle that contains no changed file is the same in the copy. */
async function copyUnchangedBundles(): Promise<void> {
  const changed = new Set(changedFiles());
  for (const bundle of await currentBundles(toLocalFunctions(localDeclarations))) {
    const folder = path.resolve(path.dirname(bundle.file), '..');
    const { inputs } = await metafileOf(bundle);
    if (!Object.keys(inputs).some(input => changed.has(input))) {
      cpSync(folder, path.join(currentFolder(copy), path.basename(folder)), { recursive: true });
    }
  }
}

function filesOfThePage(): readonly { readonly file: string; readonly source: string }[] {
  const blocks = [
    ...page.matchAll(
      /^`((?:functions|test\/simulation\/workloads)\/toy\/[^`]+)`[^\n]*\n\n```(?:ts|yaml)\n([\s\S]*?)```/gm,
    ),
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

/** Throws what the program printed last if it fails. */
function run(program: string, ...args: readonly string[]): string {
  const executable = program === 'node' ? process.execPath : program;
  const { status, stdout, stderr } = spawnSync(executable, args, {
    cwd: copy,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) {
    throw new Error(`${[program, ...args].join(' ')} ended with ${status}:\n${`${stdout}\n${stderr}`.slice(-6000)}`);
  }
  return stdout;
}

async function command(name: string, ...args: readonly string[]) {
  const child = spawn(process.execPath, ['cli/main.ts', name, ...args], {
    cwd: copy,
    env: { ...process.env, NODE_OPTIONS: '', ...raisedLimits },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [[code], stdout] = await Promise.all([once(child, 'close'), text(child.stdout)]);
  return { code, stdout };
}
