// The package in another project: it is packed, unpacked into an empty project, imported and compiled.
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { currentBundles } from '../../infra/bundles/current.ts';
import { allFunctions } from '../../infra/function-plans.ts';
import { buildPackage, packageFolder } from '../../infra/package/build-package.ts';
import { packageEntries } from '../../infra/package/entries.ts';
import { installedModules, installPackage } from '../support/installed-package.ts';

const run = promisify(execFile);
const node = process.execPath;

let project: string;
let installed: string;

/** Dependencies that npm would install are linked, so that nothing is downloaded. */
beforeAll(async () => {
  await buildPackage();
  project = await mkdtemp(path.join(tmpdir(), 'capi-package-'));
  await run('npm', ['pack', '--ignore-scripts', '--pack-destination', project], { cwd: projectRoot });
  const [tarball = ''] = (await readdir(project)).filter(name => name.endsWith('.tgz'));
  installed = await installPackage(path.join(project, tarball), project);
  await writeFile(path.join(project, 'package.json'), JSON.stringify({ name: 'other-project', type: 'module' }));
});

afterAll(() => rm(project, { recursive: true, force: true }));

/** Returns the program's output, parsed as JSON. */
async function evaluate(program: string): Promise<unknown> {
  const { stdout } = await run(node, ['--input-type=module', '-e', program], { cwd: project });
  return JSON.parse(stdout);
}

const options = {
  target: 'es2024',
  module: 'nodenext',
  strict: true,
  noEmit: true,
  types: ['node'],
  allowImportingTsExtensions: true,
  exactOptionalPropertyTypes: true,
};

/** Returns the compiler's output for a file of the other project. */
async function compile(file: string, text: string, own: object = {}): Promise<string> {
  await writeFile(path.join(project, file), text);
  const compilerOptions = { ...options, ...own };
  await writeFile(path.join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: [file] }));
  const tsc = path.join(installedModules, 'typescript/bin/tsc');
  return run(node, [tsc, '-p', project], { cwd: project }).then(
    ({ stdout }) => stdout,
    (failed: { readonly stdout: string }) => failed.stdout,
  );
}

interface Template {
  readonly Resources: Readonly<
    Record<string, { readonly Type: string; readonly Properties: Readonly<Record<string, unknown>> }>
  >;
}

const deployProgram = `
import { readFileSync } from 'node:fs';
import { App, Stack, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { buildProvider, Provider } from 'capi-serverless/aws';
import { reconcilers } from './provider.ts';
const functions = reconcilers.map(({ declaration }) => declaration.name);
await buildProvider({ entry: 'provider.ts', functions, outDir: 'built' });
const app = new App({ outdir: 'cdk.out' });
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
const stack = new Stack(app, 'Example');
const { rbac } = new Provider(stack, 'Provider', { deployment: { name: 'example' }, reconcilers, code: 'built' });
const assembly = app.synth();
const { template } = assembly.getStackByName('Example');
const { pluginReports } = JSON.parse(readFileSync(assembly.directory + '/validation-report.json', 'utf8'));
console.log(JSON.stringify({ template, rbac, pluginReports }));
`;

describe('the packed package', () => {
  it('holds its exports and no other files of ours', async () => {
    expect((await readdir(installed)).sort()).toEqual(
      ['CHANGELOG.md', 'LICENSE', 'README.md', 'dist', 'package.json'].filter(name => name !== 'CHANGELOG.md'),
    );
    expect(await readdir(path.join(installed, 'dist'))).toEqual(['package']);
  });

  it('exports the actuator, by name', async () => {
    const program = "console.log(JSON.stringify(Object.keys(await import('capi-serverless/actuator')).sort()))";
    expect(await evaluate(program)).toEqual([
      'RequeueAfter',
      'Terminal',
      'defineClusterActuator',
      'defineControlPlaneProvider',
      'defineInfrastructureProvider',
    ]);
  });

  it('exports the constructs of deployments, and the parts of its functions', async () => {
    const program = `
      const names = async entry => Object.keys(await import(entry)).sort();
      console.log(JSON.stringify([await names('capi-serverless/aws'), await names('capi-serverless/lambda')]));`;
    expect(await evaluate(program)).toEqual([
      ['CapiServerless', 'DeploymentError', 'Provider', 'buildProvider', 'eksApiServer'],
      ['providerHandler'],
    ]);
  });

  it('can be loaded by a CommonJS app, which synthesises a stack', async () => {
    const program = `
      const { App, Stack } = require('aws-cdk-lib');
      const { CapiServerless } = require('capi-serverless/aws');
      const app = new App({ outdir: 'cdk.commonjs' });
      const { rbac } = new CapiServerless(new Stack(app, 'Platform'), 'Capi', { name: 'capi-commonjs' });
      const { Resources } = app.synth().getStackByName('Platform').template;
      console.log(JSON.stringify({ queues: Object.values(Resources).filter(({ Type }) => Type === 'AWS::SQS::Queue').length, rbac }));`;
    const { stdout } = await run(node, ['--input-type=commonjs', '-e', program], { cwd: project });
    const { queues, rbac } = JSON.parse(stdout) as { readonly queues: number; readonly rbac: string }; // true: it is the output of the program
    expect(queues).toBeGreaterThan(10);
    expect(rbac).toContain('name: capi-serverless-cluster');
  });

  it('exports the conformance suite', async () => {
    const program = "console.log(JSON.stringify(Object.keys(await import('capi-serverless/actuator/testing'))))";
    expect(await evaluate(program)).toEqual([
      'actuatorConformance',
      'connectTestServer',
      'createTestServer',
      'infrastructureConformance',
    ]);
  });

  it("runs the conformance suite for a provider in its author's project", async () => {
    for (const name of ['provider', 'conformance']) {
      const text = await readFile(path.join(projectRoot, `test/fixtures/package/${name}.ts.txt`), 'utf8');
      await writeFile(path.join(project, `${name}.ts`), text);
    }
    const { stdout } = await run(node, ['conformance.ts'], { cwd: project });
    const reported = JSON.parse(stdout) as { readonly cases: number; readonly failed: readonly string[] }; // True: the script prints this object.
    expect(reported.failed).toEqual([]);
    expect(reported.cases).toBeGreaterThan(10);
    const text = await readFile(path.join(project, 'conformance.ts'), 'utf8');
    expect(await compile('conformance-types.ts', text)).toBe('');
  });

  it.each([
    'capi-serverless',
    'capi-serverless/dist/package/actuator.js',
    'capi-serverless/dist/package/types/packages/provider-sdk/decide.js',
    'capi-serverless/packages/provider-sdk/index.ts',
  ])('does not let users import %s', async specifier => {
    const program = `console.log(JSON.stringify(await import('${specifier}').then(() => 'reached', error => error.code)))`;
    expect(await evaluate(program)).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });

  it('carries types with which a provider compiles', async () => {
    const text = await readFile(path.join(projectRoot, 'test/fixtures/package/surface.ts.txt'), 'utf8');
    // The declarations of the CDK do not compile with exactOptionalPropertyTypes.
    expect(await compile('surface.ts', text, { exactOptionalPropertyTypes: false })).toBe('');
    expect(await compile('surface.ts', text, { skipLibCheck: true })).toBe('');
  });

  it("builds and deploys a provider in its author's stack", async () => {
    const source = await readFile(path.join(projectRoot, 'test/fixtures/package/provider.ts.txt'), 'utf8');
    await writeFile(path.join(project, 'provider.ts'), source);
    await writeFile(path.join(project, 'deploy.ts'), deployProgram);
    const { stdout } = await run(node, ['deploy.ts'], { cwd: project });
    const { template, rbac, pluginReports } = JSON.parse(stdout) as {
      readonly template: Template;
      readonly rbac: string;
      readonly pluginReports: readonly unknown[];
    }; // True: the script prints this object.
    const resources = Object.values(template.Resources);
    const named = (type: string, field: string): readonly unknown[] =>
      resources.flatMap(({ Type, Properties }) => (Type === type ? [Properties[field]] : [])).sort();

    expect(named('AWS::Lambda::Function', 'FunctionName')).toEqual([
      'example-example-cluster',
      'example-resync',
      'example-timer',
      'example-windowed-forwarder',
    ]);
    expect(named('AWS::SQS::Queue', 'QueueName')).toContain('example-work-example-cluster.fifo');
    expect(pluginReports).toEqual([]);
    expect(named('AWS::CloudWatch::Alarm', 'AlarmName')).toEqual([
      'example/dead-letters',
      'example/function-errors',
      'example/messages-waiting',
      'example/missed-events',
      'example/resync-silent',
      'example/windowed-forwarder-silent',
    ]);
    expect(named('AWS::CloudWatch::Dashboard', 'DashboardName')).toEqual([
      { 'Fn::Join': ['', ['example-', { Ref: 'AWS::Region' }]] },
    ]);
    expect(named('AWS::Lambda::EventSourceMapping', 'BatchSize')).toEqual([10, 10, 10]);
    expect(named('AWS::Scheduler::Schedule', 'ScheduleExpression')).toEqual(['rate(1 minute)', 'rate(10 minutes)']);
    const kinds = parseAllDocuments(rbac).map(
      document => document.toJS() as { readonly kind: string; readonly metadata: { readonly name: string } },
    ); // true: the documents are manifests
    expect(kinds.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      'Namespace example',
      'ServiceAccount functions',
      'ClusterRole capi-serverless-example-example-cluster',
      'ClusterRole capi-serverless-example-resync',
      'ClusterRole capi-serverless-example-windowed-forwarder',
      'ClusterRole capi-serverless-example-resync-state',
      'ClusterRole capi-serverless-example-windowed-forwarder-state',
      'ClusterRoleBinding capi-serverless-example-example-cluster',
      'ClusterRoleBinding capi-serverless-example-resync',
      'ClusterRoleBinding capi-serverless-example-windowed-forwarder',
      'RoleBinding capi-serverless-example-resync-state',
      'RoleBinding capi-serverless-example-windowed-forwarder-state',
    ]);
  });

  describe('for an app of the CDK', () => {
    const app = () => path.join(project, 'cdk');
    const esbuild = () => path.join(project, 'node_modules/esbuild');

    beforeAll(async () => {
      await cp(path.join(projectRoot, 'examples/cdk'), app(), { recursive: true });
      // The functions are bundled already.
      await rm(esbuild());
    });

    afterAll(() => symlink(path.join(installedModules, 'esbuild'), esbuild()));

    it('compiles the example app', async () => {
      const tsc = path.join(installedModules, 'typescript/bin/tsc');
      const { stdout } = await run(node, [tsc, '-p', app()], { cwd: app() });
      expect(stdout).toBe('');
    });

    it('synthesises the example app with the packed bundles, without a bundler', async () => {
      const outdir = path.join(app(), 'cdk.out');
      await run(node, ['app.ts'], { cwd: app(), env: { ...process.env, NODE_OPTIONS: '', CDK_OUTDIR: outdir } });
      const template: Template = JSON.parse(await readFile(path.join(outdir, 'Platform.template.json'), 'utf8'));
      const deployed = Object.values(template.Resources).filter(({ Type }) => Type === 'AWS::Lambda::Function');
      const names = deployed.map(({ Properties }) => String(Properties['FunctionName']));
      expect(names).toContain('capi-prod-topology');
      expect(names).toContain('capi-lab-cluster');
      expect(names).not.toContain('capi-lab-rotate-audit-token');
      const sources = new Map((await currentBundles(allFunctions)).map(({ name, file }) => [name, file]));
      for (const { Properties } of deployed) {
        const { S3Key: key } = Properties['Code'] as { readonly S3Key: string }; // true: by the type of the resource
        const packed = path.join(outdir, `asset.${path.basename(key, '.zip')}`, 'handler.mjs');
        const source = sources.get(String(Properties['FunctionName']).replace(/^capi-(prod|lab)-/, '')) ?? '';
        expect(await readFile(packed, 'utf8')).toBe(await readFile(source, 'utf8'));
      }
      const rbac = await readFile(path.join(app(), 'dist/rbac/capi-prod.yaml'), 'utf8');
      expect(rbac).toContain('name: capi-serverless-topology\n');
    });

    it('contains the licences of the packages in its bundles', async () => {
      const notices = await readFile(path.join(installed, 'dist/package/NOTICES.txt'), 'utf8');
      expect(notices).toMatch(/^zod \d/m);
      expect(notices).toMatch(/^re2js \d/m);
    });
  });

  it('has the public API that the fixture records', async () => {
    // Users see the declarations. The grouping of import lines depends on the formatter and is not part of the API.
    const commentsAndImports = /\/\*\*[\s\S]*?\*\/\s*|^\/\/.*\n|^import [^;]*;\n/gm;
    const surface = [
      'packages/provider-sdk/index',
      'packages/provider-sdk/author',
      'packages/provider-sdk/cluster-author',
      'packages/provider-sdk/cluster-actuator',
      'packages/provider-sdk/control-plane-provider',
      'packages/provider-sdk/errors',
      'packages/provider-sdk/infrastructure',
      'packages/provider-sdk/schema',
      'packages/provider-sdk/testing/actuator-conformance',
      'packages/provider-sdk/testing/index',
      'packages/provider-sdk/testing/setup',
      'infra/package/aws',
      'infra/aws/capi-serverless',
      'infra/aws/capi-serverless-props',
      'infra/aws/eks-api-server',
      'infra/aws/provider',
      'infra/bundles/build-provider',
      'infra/package/lambda',
      'infra/package/testing',
    ];
    const texts = await Promise.all(
      surface.map(async file => {
        const text = await readFile(path.join(packageFolder, 'types', `${file}.d.ts`), 'utf8');
        return `// ${file}\n${text.replaceAll(commentsAndImports, '')}`;
      }),
    );
    await expect(texts.join('\n')).toMatchFileSnapshot('../fixtures/package/api.d.ts.txt');
  });
});

it('has a source for every entry, and an entry for every export', async () => {
  const text = await readFile(path.join(projectRoot, 'package.json'), 'utf8');
  const { exports } = JSON.parse(text) as { readonly exports: Readonly<Record<string, { readonly import?: string }>> }; // True: npm's format.
  const files = Object.values(exports).flatMap(({ import: file }) =>
    file === undefined ? [] : [path.basename(file, '.js')],
  );
  expect(files.sort()).toEqual(packageEntries.map(({ name }) => name).sort());
});
