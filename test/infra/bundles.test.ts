// What every function reads before it can run: every KiB there is cold start.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Bundle, bundleFunction, bundleFunctions } from '../../infra/bundles/bundle.ts';
import { allFunctions, auditFunction, deployedFunctions, windowedFunction } from '../../infra/functions.ts';
import { toLocalFunctions, toLocalSource } from '../../infra/local/functions.ts';
import { localDeclarations } from '../../infra/local/provider/declarations.ts';
import type { Signer } from '../../shared/certificates/port.ts';
import { createAuthority } from '../../shared/certificates/x509/authority.ts';

/** KiB at start. Raise one only with a reason in the commit. */
const budgets: Readonly<Record<string, number>> = {
  'functions/cluster/handler.ts': 450,
  // With the rules of variables: regular expressions in linear time, and the expression language.
  'functions/clusterclass/handler.ts': 720,
  'functions/extensionconfig/handler.ts': 360,
  'functions/machinedeployment-topology/handler.ts': 350,
  'functions/machineset-topology/handler.ts': 350,
  // Rules of variables and patches with their template engine come as chunks when a topology has any.
  'functions/topology/handler.ts': 505,
  'functions/timer/handler.ts': 270,
  'functions/resync/handler.ts': 370,
  'functions/audit-webhook/handler.ts': 380,
  'functions/rotate-audit-token/handler.ts': 300,
  // One declaration more for each kind that is simulated.
  'infra/local/provider/audit-webhook/handler.ts': 450,
  'functions/windowed-forwarder/handler.ts': 385,
  'infra/local/provider/windowed-forwarder/handler.ts': 445,
  'infra/local/provider/resync/handler.ts': 435,
  'infra/local/provider/simulated-cluster/handler.ts': 345,
  'infra/local/provider/simulated-legacy-cluster/handler.ts': 345,
  'infra/local/provider/simulated-control-plane/handler.ts': 375,
  'infra/local/provider/simulated-machine/handler.ts': 350,
  'infra/local/provider/simulated-machine-set/handler.ts': 350,
  'infra/local/provider/simulated-machine-deployment/handler.ts': 350,
  'infra/local/provider/simulated-machine-pool/handler.ts': 350,
  'infra/local/provider/simulated-machine-health-check/handler.ts': 350,
};

const sources = [auditFunction, windowedFunction];
const deployed = allFunctions.map(({ entry }) => entry);
const simulated = [
  ...toLocalFunctions(localDeclarations),
  ...sources.map(plan => toLocalSource(plan, localDeclarations)),
]
  .map(({ entry }) => entry)
  .filter(entry => !deployed.includes(entry));
const entries = [...deployed, ...simulated];

const bundles = new Map<string, Bundle>();
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'capi-bundles-'));
  // Functions share the names resync, audit-webhook and windowed-forwarder, so each gets its own folder.
  const named = entries.map(entry => ({ name: entry.replaceAll('/', '-'), entry }));
  for (const bundle of await bundleFunctions(named, folder)) {
    bundles.set(named.find(({ name }) => name === bundle.name)?.entry ?? '', bundle);
  }
}, 120_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

function bundleOf(entry: string): Bundle {
  const bundle = bundles.get(entry);
  if (bundle === undefined) {
    throw new Error(`${entry} was not bundled`);
  }
  return bundle;
}

/** Modules that are in some file of the bundle, read at start or not. */
function contentOf(entry: string): readonly string[] {
  return Object.values(bundleOf(entry).metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs));
}

describe('bundles', () => {
  it('have a budget each', () => {
    expect(entries.toSorted()).toEqual(Object.keys(budgets).toSorted());
  });

  it('lets a local run differ in the resync function and the event sources alone where the simulated provider is installed', () => {
    expect(simulated.filter(entry => !entry.includes('/simulated-'))).toEqual([
      'infra/local/provider/resync/handler.ts',
      'infra/local/provider/audit-webhook/handler.ts',
      'infra/local/provider/windowed-forwarder/handler.ts',
    ]);
    expect(toLocalSource(auditFunction, [])).toEqual(auditFunction);
    expect(toLocalFunctions([])).toEqual(deployedFunctions);
  });

  it.each(['resync', 'audit-webhook', 'windowed-forwarder'])('tells %s of the simulated kinds only there', name => {
    const knowsSimulated = (entry: string): boolean =>
      bundleOf(entry).startInputs.includes('infra/local/provider/simulated-cluster.ts');
    expect(knowsSimulated(`infra/local/provider/${name}/handler.ts`)).toBe(true);
    expect(knowsSimulated(`functions/${name}/handler.ts`)).toBe(false);
  });
});

describe('what bundles load lazily', () => {
  async function load(entry: string): Promise<Record<string, (...args: readonly unknown[]) => unknown>> {
    const { file } = await bundleFunction({ name: entry.replaceAll('/', '-'), entry }, folder);
    return import(pathToFileURL(file).href);
  }

  it('is there when a kubeconfig is in YAML', async () => {
    const { parseKubeconfig } = await load('shared/kubernetes/credentials/kubeconfig.ts');
    expect(await parseKubeconfig?.('a file', 'current-context: here\n')).toMatchObject({ 'current-context': 'here' });
  });

  it('is there when the API server is that of an EKS cluster, or a kubeconfig is a secret', async () => {
    const { loadCredentials } = await load('shared/kubernetes/credentials/load.ts');
    vi.stubEnv('AWS_REGION', 'eu-central-1');
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'wJalrXUtnFEMI');
    const eks = { cluster: 'mgmt', endpoint: 'https://mgmt.example.com', certificateAuthority: 'LS0t' };
    expect(await loadCredentials?.({ eks })).toMatchObject({ server: 'https://mgmt.example.com' });
    // A region that is none ends before anything is sent.
    await expect(loadCredentials?.({ kubeconfigSecret: 'arn:aws:secretsmanager: ' })).rejects.toThrow('Invalid URL');
    vi.unstubAllEnvs();
  });

  it('is there when a kubeconfig is made', async () => {
    const { createSigner } = await load('shared/certificates/x509/lazy-signer.ts');
    const signer = createSigner?.() as Signer; // what that function returns
    const authority = await createAuthority(0);
    const made = await signer.kubeconfig({ clusterName: 'c1', server: 'https://h:1', authority, now: 0 });
    expect(await signer.inspect(made.ok ? made.value : '')).toMatchObject({ clusterName: 'c1', server: 'https://h:1' });
  });
});

describe.each(entries)('the bundle of %s', entry => {
  it('keeps its budget at start', () => {
    const { startBytes, startInputs } = bundleOf(entry);
    expect(startInputs).toContain(entry);
    expect(startBytes / 1024).toBeLessThanOrEqual(budgets[entry] ?? 0);
  });

  it('reads YAML and credentials of other places only when they are needed', () => {
    const lazy =
      /(node_modules\/(yaml|@aws-sdk\/credential-provider-(sso|ini|process|login|web-identity)|bowser|@peculiar|reflect-metadata|tsyringe)\/|shared\/api\/yaml\.ts)/;
    expect(bundleOf(entry).startInputs.filter(module => lazy.test(module))).toEqual([]);
    // They are there, as chunks of their own.
    expect(contentOf(entry).some(module => lazy.test(module))).toBe(true);
  });

  it('holds the certificate library only where kubeconfigs are made', () => {
    const makers = [
      'functions/cluster/handler.ts',
      'infra/local/provider/simulated-control-plane/handler.ts',
      // These know all simulated reconcilers.
      'infra/local/provider/resync/handler.ts',
      'infra/local/provider/audit-webhook/handler.ts',
      'infra/local/provider/windowed-forwarder/handler.ts',
    ];
    const hasLibrary = contentOf(entry).some(module => module.includes('node_modules/@peculiar/x509/'));
    expect(hasLibrary).toBe(makers.includes(entry));
  });

  it('reads the template engine, the expression language and regular expressions at start only where every class needs them', () => {
    const engines =
      /(node_modules\/(re2js|@marcbachmann\/cel-js)\/|shared\/(cel|go-template\/functions|topology\/patches)\/)/;
    const atStart = bundleOf(entry).startInputs.some(module => engines.test(module));
    expect(atStart).toBe(entry === 'functions/clusterclass/handler.ts');
    const hasEngines = contentOf(entry).some(module => engines.test(module));
    expect(hasEngines).toBe(['functions/clusterclass/handler.ts', 'functions/topology/handler.ts'].includes(entry));
  });

  it('holds nothing of the tools', () => {
    const tools =
      /node_modules\/(aws-cdk-lib|constructs|@kubernetes\/client-node|vitest|esbuild|fauxqs|zod\/v4\/(classic|locales))\//;
    expect(contentOf(entry).filter(module => tools.test(module))).toEqual([]);
  });

  it('is minified ES modules, and their source maps stand beside what is packed', async () => {
    const { file, name } = bundleOf(entry);
    const files = await readdir(path.dirname(file));
    expect(files).toContain('handler.mjs');
    expect(files.filter(one => !/^(handler|chunk-\w+)\.mjs$/.test(one))).toEqual([]);
    const code = await readFile(file, 'utf8');
    expect(code).toMatch(/export ?\{[^}]*\bhandler\b[^}]*\}/);
    expect(code).not.toContain('sourceMappingURL');
    expect(code.length / code.split('\n').length).toBeGreaterThan(500);
    const maps = await readdir(path.join(folder, 'maps', name));
    expect(maps.toSorted()).toEqual(files.map(one => `${one}.map`).toSorted());
  });
});
