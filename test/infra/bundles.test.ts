// The code that every function loads at start. Each additional KiB increases the cold start.
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Bundle, bundleFunction, projectRoot } from '../../infra/bundles/bundle.ts';
import { currentBundles } from '../../infra/bundles/current.ts';
import { allFunctions, auditFunction, deployedFunctions, windowedFunction } from '../../infra/function-plans.ts';
import { toLocalFunctions, toLocalSource } from '../../local/local-functions.ts';
import { localDeclarations } from '../../local/provider/declarations.ts';
import type { Signer } from '../../shared/certificates/port.ts';
import { createAuthority } from '../../shared/certificates/x509/authority.ts';
import { spending } from '../support/spans.ts';

/** The budgets are in budget.json in the folder of the function's unit tests. */
interface Budget {
  /** The maximum size in KiB. An increase needs a reason in the commit message. */
  readonly startKiB: number;
  /**
   * Whether the function generates kubeconfigs, or imports a reconciler that does. The certificate library is a
   * separate chunk.
   */
  readonly certificates?: boolean;
  /**
   * Whether the engines of templates, expressions and regular expressions are loaded at start or in chunks. Default:
   * not at all.
   */
  readonly engines?: 'start' | 'lazy';
  readonly why?: string;
}

/** The budget of a function without budget.json. */
const usualBudget: Budget = { startKiB: 365 };

const budgetFiles = globSync('test/unit/**/budget.json', { cwd: projectRoot });

function budgetOf(entry: string): Budget {
  const file = `test/unit/${path.posix.dirname(entry)}/budget.json`;
  return budgetFiles.includes(file) ? JSON.parse(readFileSync(path.join(projectRoot, file), 'utf8')) : usualBudget;
}

const sources = [auditFunction, windowedFunction];
const deployedEntries = allFunctions.map(({ entry }) => entry);
const simulatedFunctions = [
  ...toLocalFunctions(localDeclarations),
  ...sources.map(plan => toLocalSource(plan, localDeclarations)),
].filter(({ entry }) => !deployedEntries.includes(entry));
const simulated = simulatedFunctions.map(({ entry }) => entry);
const functions = [...allFunctions, ...simulatedFunctions];
const entries = functions.map(({ entry }) => entry);

const bundles = new Map<string, Bundle>();
let folder: string;

/** The bundles of the local run and of the other tests. */
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'capi-bundles-'));
  const current = await spending('bundling', () => currentBundles(functions));
  for (const [index, { name, file }] of current.entries()) {
    const content = JSON.parse(await readFile(path.join(path.dirname(file), '../bundle.json'), 'utf8'));
    bundles.set(entries[index] ?? '', { name, file, ...content });
  }
});

afterAll(() => rm(folder, { recursive: true, force: true }));

function bundleOf(entry: string): Bundle {
  const bundle = bundles.get(entry);
  if (bundle === undefined) {
    throw new Error(`${entry} was not bundled`);
  }
  return bundle;
}

/** The modules in any file of the bundle, loaded at start or on demand. */
function contentOf(entry: string): readonly string[] {
  return Object.values(bundleOf(entry).metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs));
}

describe('bundles', () => {
  it('have a budget each, and every budget has a bundle', () => {
    const known = entries.map(entry => `test/unit/${path.posix.dirname(entry)}/budget.json`);
    expect(budgetFiles.filter(file => !known.includes(file))).toEqual([]);
    expect(budgetFiles.length).toBeGreaterThan(10);
  });

  it('differ in a local run with the simulated provider only for the resync function and the event sources', () => {
    expect(simulated.filter(entry => !entry.includes('/simulated-'))).toEqual([
      'local/provider/resync/handler.ts',
      'local/provider/audit-webhook/handler.ts',
      'local/provider/windowed-forwarder/handler.ts',
    ]);
    expect(toLocalSource(auditFunction, [])).toEqual(auditFunction);
    expect(toLocalFunctions([])).toEqual(deployedFunctions);
  });

  it.each(['resync', 'audit-webhook', 'windowed-forwarder'])('include the simulated kinds in %s only there', name => {
    const knowsSimulated = (entry: string): boolean =>
      bundleOf(entry).startInputs.includes('local/provider/simulated-cluster.ts');
    expect(knowsSimulated(`local/provider/${name}/handler.ts`)).toBe(true);
    expect(knowsSimulated(`functions/${name}/handler.ts`)).toBe(false);
  });
});

describe('what bundles load lazily', () => {
  async function load(entry: string): Promise<Record<string, (...args: readonly unknown[]) => unknown>> {
    const { file } = await bundleFunction({ name: entry.replaceAll('/', '-'), entry }, folder);
    return import(pathToFileURL(file).href);
  }

  it('is loaded when a kubeconfig is in YAML', async () => {
    const { parseKubeconfig } = await load('shared/kubernetes/credentials/kubeconfig.ts');
    expect(await parseKubeconfig?.('a file', 'current-context: here\n')).toMatchObject({ 'current-context': 'here' });
  });

  it('is loaded when the API server is that of an EKS cluster, or a kubeconfig is a secret', async () => {
    const { loadCredentials } = await load('shared/kubernetes/credentials/load.ts');
    vi.stubEnv('AWS_REGION', 'eu-central-1');
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'wJalrXUtnFEMI');
    const eks = {
      cluster: 'mgmt',
      endpoint: 'https://mgmt.example.com',
      certificateAuthorityFile: import.meta.filename,
    };
    expect(await loadCredentials?.({ eks })).toMatchObject({ server: 'https://mgmt.example.com' });
    // An invalid region causes an error before anything is sent.
    await expect(loadCredentials?.({ kubeconfigSecret: 'arn:aws:secretsmanager: ' })).rejects.toThrow('Invalid URL');
    vi.unstubAllEnvs();
  });

  it('is loaded when a kubeconfig is generated', async () => {
    const { createSigner } = await load('shared/certificates/x509/lazy-signer.ts');
    const signer = createSigner?.() as Signer; // True: the return type of that function.
    const authority = await createAuthority(0);
    const made = await signer.kubeconfig({ clusterName: 'c1', server: 'https://h:1', authority, now: 0 });
    expect(await signer.inspect(made.ok ? made.value : '')).toMatchObject({ clusterName: 'c1', server: 'https://h:1' });
  });
});

describe.each(entries)('the bundle of %s', entry => {
  it('stays within its budget at start', () => {
    const { startBytes, startInputs } = bundleOf(entry);
    expect(startInputs).toContain(entry);
    expect(startBytes / 1024).toBeLessThanOrEqual(budgetOf(entry).startKiB);
  });

  it('loads YAML and credentials of other sources only when they are needed', () => {
    const lazy =
      /(node_modules\/(yaml|@aws-sdk\/credential-provider-(sso|ini|process|login|web-identity)|bowser|@peculiar|reflect-metadata|tsyringe)\/|shared\/api\/yaml\.ts)/;
    expect(bundleOf(entry).startInputs.filter(module => lazy.test(module))).toEqual([]);
    // The modules are in separate chunks.
    expect(contentOf(entry).some(module => lazy.test(module))).toBe(true);
  });

  it('holds the certificate library only where kubeconfigs are generated', () => {
    const hasLibrary = contentOf(entry).some(module => module.includes('node_modules/@peculiar/x509/'));
    expect(hasLibrary).toBe(budgetOf(entry).certificates === true);
  });

  it('loads the template engine, the expression language and regular expressions at start only if every class needs them', () => {
    const engines =
      /(node_modules\/(re2js|@marcbachmann\/cel-js)\/|shared\/(cel|go-template\/functions|topology\/patches)\/)/;
    const atStart = bundleOf(entry).startInputs.some(module => engines.test(module));
    expect(atStart).toBe(budgetOf(entry).engines === 'start');
    const hasEngines = contentOf(entry).some(module => engines.test(module));
    expect(hasEngines).toBe(budgetOf(entry).engines !== undefined);
  });

  it('holds no code of the tools', () => {
    const tools =
      /node_modules\/(aws-cdk-lib|constructs|@kubernetes\/client-node|vitest|esbuild|fauxqs|zod\/v4\/(classic|locales))\//;
    expect(contentOf(entry).filter(module => tools.test(module))).toEqual([]);
  });

  it('consists of minified ES modules, with source maps outside the packed files', async () => {
    const { file, name } = bundleOf(entry);
    const files = await readdir(path.dirname(file));
    expect(files).toContain('handler.mjs');
    expect(files.filter(one => !/^(handler|chunk-\w+)\.mjs$/.test(one))).toEqual([]);
    const code = await readFile(file, 'utf8');
    expect(code).toMatch(/export ?\{[^}]*\bhandler\b[^}]*\}/);
    expect(code).not.toContain('sourceMappingURL');
    expect(code.length / code.split('\n').length).toBeGreaterThan(500);
    const maps = await readdir(path.join(path.dirname(file), '../maps', name));
    expect(maps.toSorted()).toEqual(files.map(one => `${one}.map`).toSorted());
  });
});
