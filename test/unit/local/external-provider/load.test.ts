// External providers: the contents of their folders, and the errors for invalid folders.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toFiles } from '../../../../cli/new-provider/files.ts';
import { declarations as coreDeclarations } from '../../../../functions/declarations.ts';
import { projectRoot } from '../../../../infra/bundles/bundle.ts';
import { readDefinitions } from '../../../../local/external-provider/external-definitions.ts';
import { readProviderFolder } from '../../../../local/external-provider/folder.ts';
import { type ExternalProvider, loadExternalProviders } from '../../../../local/external-provider/load.ts';
import { localDeclarations } from '../../../../local/provider/declarations.ts';
import { UsageError } from '../../../../local/usage-error.ts';

const taken = [...coreDeclarations, ...localDeclarations];
let home: string;
let count = 0;
/** The folder of an unchanged provider, and the result of loading it. */
let rackFolder: string;
let racks: readonly ExternalProvider[];

beforeAll(async () => {
  home = mkdtempSync(path.join(tmpdir(), 'capi-external-'));
  rackFolder = aProvider();
  racks = await load(rackFolder);
});

afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Creates a provider with changed files. `undefined` omits a file. */
function aProvider(
  changes: Readonly<Record<string, ((text: string) => string) | undefined>> = {},
  name = 'rack',
): string {
  count += 1;
  const folder = path.join(home, `provider-${count}`);
  const files = toFiles({ name, group: `${name}.example.com`, folder }, 'unused.tgz');
  for (const file of files) {
    const change = Object.hasOwn(changes, file.name) ? changes[file.name] : (text: string) => text;
    if (change !== undefined) {
      mkdirSync(path.dirname(path.join(folder, file.name)), { recursive: true });
      writeFileSync(path.join(folder, file.name), change(file.text));
    }
  }
  return folder;
}

async function load(...folders: readonly string[]): Promise<readonly ExternalProvider[]> {
  const external = await loadExternalProviders(folders, taken);
  await external.close();
  return external.providers;
}

async function refusal(...folders: readonly string[]): Promise<string> {
  return messageOf(await load(...folders).catch((error: unknown) => error));
}

/** The type check is disabled, because the compiler takes half a second. */
async function refusalOfDefinitions(name: string): Promise<string> {
  const { definitions } = await readProviderFolder(name);
  const declarations = racks.flatMap(rack => rack.declarations);
  try {
    return expect.unreachable(String(readDefinitions({ name, definitions }, declarations)));
  } catch (thrown) {
    return messageOf(thrown);
  }
}

function messageOf(thrown: unknown): string {
  expect(thrown).toBeInstanceOf(UsageError);
  const { message } = thrown as UsageError; // true: checked in the line above
  expect(message).not.toContain('\n');
  return message.replaceAll(`${home}/`, '');
}

/** The temporary folders of this provider. Other processes have their own folders next to them. */
function scratchFoldersOf(provider: string): readonly string[] {
  const parent = path.join(projectRoot, 'dist/local');
  const found = spawnSync('grep', ['--files-with-matches', '--recursive', '--no-messages', provider, parent]);
  const files = found.stdout.toString().split('\n');
  const folders = files.flatMap(file => /^.*\/dist\/local\/providers-[^/]+/.exec(file) ?? []);
  return [...new Set(folders)];
}

describe('a provider folder', () => {
  it('brings reconcilers, definitions and examples', () => {
    const [first, ...others] = racks;
    expect(others).toEqual([]);
    expect(first).toMatchObject({ name: rackFolder, entry: path.join(rackFolder, 'provider.ts') });
    expect(first?.declarations.map(({ name }) => name)).toEqual(['rack-cluster']);
    expect(first?.crds.map(({ crd, file }) => [crd.metadata.name, path.basename(file)])).toEqual([
      ['rackclusters.rack.example.com', 'crds.yaml'],
      ['rackclustertemplates.rack.example.com', 'crds.yaml'],
    ]);
    expect(first?.examples).toEqual([path.join(rackFolder, 'examples/cluster.yaml')]);
  });

  it('may be one of several', async () => {
    const external = await load(aProvider(), aProvider({}, 'rock'));
    expect(external.flatMap(({ declarations }) => declarations).map(({ name }) => name)).toEqual([
      'rack-cluster',
      'rock-cluster',
    ]);
  });

  it('needs no settings, examples or tests, and may hold its definitions in a folder', async () => {
    const bare = aProvider({ 'tsconfig.json': undefined, 'examples/cluster.yaml': undefined, 'crds.yaml': undefined });
    const [{ text = '' } = {}] = toFiles({ name: 'rack', group: 'rack.example.com', folder: '' }, '').filter(
      ({ name }) => name === 'crds.yaml',
    );
    mkdirSync(path.join(bare, 'crds'));
    for (const [index, document] of text.split('\n---\n').entries()) {
      writeFileSync(path.join(bare, 'crds', `${index}.yaml`), document);
    }
    const [first] = await load(bare);
    expect(first).toMatchObject({ examples: [] });
    expect(first?.crds).toHaveLength(2);
  });

  it('is the example of this repository, too', async () => {
    const [first] = await load(path.join(projectRoot, 'examples/provider'));
    expect(first?.declarations.map(({ name }) => name)).toEqual(['harbour-cluster']);
  });

  it('may hold an actuator, whose kinds and their children play no part in the provider contract', async () => {
    const [first] = await load(path.join(projectRoot, 'examples/actuator'));
    expect(first?.declarations.map(({ name }) => name)).toEqual(['rack-actuator']);
    expect(first?.crds.map(({ crd }) => crd.metadata.name)).toEqual([
      'clusters.cluster.k8s.io',
      'machines.cluster.k8s.io',
    ]);
  });

  it('removes all temporary files from the project, loaded or refused', async () => {
    const provider = aProvider();
    const external = await loadExternalProviders([provider], taken);
    expect(scratchFoldersOf(provider)).toEqual([external.scratch]);
    await external.close();
    expect(existsSync(external.scratch)).toBe(false);
    expect(await refusal(provider, provider)).toContain('rack-cluster');
    expect(scratchFoldersOf(provider)).toEqual([]);
  });
});

describe('a provider folder is refused, with place and remedy:', () => {
  it('that does not exist', async () => {
    expect(await refusal(path.join(home, 'nowhere'))).toBe(
      'Provider folder nowhere does not exist; npx capi-serverless new-provider NAME --folder nowhere makes one',
    );
  });

  it('that holds no provider', async () => {
    const empty = mkdtempSync(path.join(home, 'empty-'));
    expect(await refusal(empty)).toBe(
      `Folder ${path.basename(empty)} holds no provider; write provider.ts there, which exports the list reconcilers, or make a provider by npx capi-serverless new-provider`,
    );
  });

  it('whose module does not compile', async () => {
    const folder = aProvider({ 'provider.ts': text => text.replace('ready: false,', "ready: 'no',") });
    expect(await refusal(folder)).toMatch(
      /^provider-\d+\/provider\.ts\(33,\d+\): error TS2322: Type 'string' is not assignable to type 'boolean'; npm run typecheck in provider-\d+ shows all errors$/,
    );
  });

  it('whose module cannot be parsed', async () => {
    const folder = aProvider({ 'cloud.ts': text => `${text}\nexport const = 1;\n` });
    expect(await refusal(folder)).toMatch(/^provider-\d+\/cloud\.ts\(\d+,\d+\): error TS\d+: /);
  });

  it('that requires a missing package', async () => {
    const folder = aProvider({
      'provider.ts': undefined,
      'cloud.ts': undefined,
      'app.ts': undefined,
    });
    writeFileSync(path.join(folder, 'provider.js'), "import 'no-such-package';\nexport const reconcilers = [];\n");
    expect(await refusal(folder)).toMatch(
      /^Provider \S+ cannot be bundled: \S*provider\.js:1:8: Could not resolve "no-such-package"; run npm install in its folder$/,
    );
  });

  it('whose options are not valid', async () => {
    const folder = aProvider({ 'provider.ts': text => text.replace("kind: 'RackCluster'", "kind: 'rack'") });
    expect(await refusal(folder)).toMatch(
      /^Provider \S+ cannot be loaded: Options of provider rack are not valid: kind/,
    );
  });

  it.each([
    { reason: 'nothing of that name', line: 'export const provider = 1;' },
    { reason: 'an empty list', line: 'export const reconcilers = [];' },
    { reason: 'no list', line: 'export const reconcilers = 1;' },
    { reason: 'a list of something else', line: 'export const reconcilers = [{ name: 1 }];' },
  ])('whose module exports $reason', async ({ line }) => {
    const folder = aProvider({ 'provider.ts': undefined, 'tsconfig.json': undefined });
    writeFileSync(path.join(folder, 'provider.js'), `${line}\n`);
    expect(await refusal(folder)).toMatch(
      /^Provider \S+: provider\.js exports no list reconcilers .*; write export const reconcilers = \[/,
    );
  });

  it.each([
    {
      reason: 'no YAML',
      change: (text: string) => text.replace('spec:', 'spec: ['),
      message: /^provider-\d+\/crds\.yaml:\d+:\d+: error: /,
    },
    {
      reason: 'without the contract label',
      change: (text: string) => text.replaceAll('cluster.x-k8s.io/v1beta2: v1beta2', 'other: v1beta2'),
      message:
        /crds\.yaml:8:3: error: CustomResourceDefinition rackclusters\.rack\.example\.com: metadata\.labels: has no contract label.*write/,
    },
    {
      reason: 'without the status subresource',
      change: (text: string) => text.replace(/ {6}subresources:\n {8}status: \{\}\n/, ''),
      message: /crds\.yaml:\d+:\d+: error: .*has no status subresource.*write subresources: \{status: \{\}\}/,
    },
    {
      reason: 'without versions',
      change: (text: string) =>
        `${text}---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: { name: x.y.z }\nspec: { group: y.z, names: { kind: X } }\n`,
      message: /^provider-\d+\/crds\.yaml: CustomResourceDefinition x\.y\.z: spec\.versions: expected array$/,
    },
    {
      reason: 'of another kind',
      change: (text: string) => text.replaceAll('rack', 'rock').replaceAll('Rack', 'Rock'),
      message:
        /^Provider (\S+) defines no rackclusters\.rack\.example\.com, the kind that it reconciles; write the CustomResourceDefinition to \1\/crds\.yaml$/,
    },
    { reason: 'that is missing', change: undefined, message: /defines no rackclusters\.rack\.example\.com/ },
  ])('with a definition $reason', async ({ change, message }) => {
    expect(await refusalOfDefinitions(aProvider({ 'crds.yaml': change }))).toMatch(message);
  });

  it('with such definitions, when it is loaded', async () => {
    const folder = aProvider({ 'crds.yaml': undefined });
    expect(await refusal(folder)).toBe(await refusalOfDefinitions(folder));
  });

  it('whose reconciler has the name of another', async () => {
    const folder = aProvider({
      'provider.ts': text => text.replace("contract: 'v1beta2'", "name: 'cluster', contract: 'v1beta2'"),
    });
    expect(await refusal(folder)).toMatch(
      /^Provider \S+: a reconciler cluster runs already; give another by the option name of its definition$/,
    );
  });

  it('whose kind has a reconciler already', async () => {
    const again = aProvider({
      'provider.ts': text => text.replace("contract: 'v1beta2'", "name: 'again', contract: 'v1beta2'"),
    });
    expect(await refusal(aProvider(), again)).toMatch(
      /^Provider \S+: rackclusters\.rack\.example\.com has a reconciler already, and two reconcilers would overwrite each other's changes/,
    );
  });
});
