// Builds the npm package for other projects: ES modules for Node 24 and their declarations.
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build, type Plugin } from 'esbuild';
import { packagedFunctions } from '../aws/deployed-parts.ts';
import { projectRoot } from '../bundles/bundle.ts';
import { currentBundles, metafileOf } from '../bundles/current.ts';
import { allFunctions } from '../function-plans.ts';
import { readBundled } from '../supply-chain/bundled.ts';
import { toNotices } from '../supply-chain/notices.ts';
import { buildDeclarations } from './declarations.ts';
import { type PackageEntry, packageEntries } from './entries.ts';

export const packageFolder = path.join(projectRoot, 'dist/package');

/** The folder of declarations. It has the structure of the sources. Importers can use only the entries. */
const typesFolder = 'types';

/** Removes earlier builds. Throws an error with the output of the compiler. */
export async function buildPackage(): Promise<void> {
  await rm(packageFolder, { recursive: true, force: true });
  await mkdir(packageFolder, { recursive: true });
  const sources = packageEntries.map(({ source }) => source);
  await Promise.all([
    buildModules(),
    buildDeclarations(sources, path.join(packageFolder, typesFolder)),
    copyFunctions(),
  ]);
  await Promise.all(packageEntries.map(writeDeclarationOf));
}

/** The bundles that the construct CapiServerless deploys, and the licences of the packages in them. */
async function copyFunctions(): Promise<void> {
  const bundles = await currentBundles(allFunctions);
  const metafiles = await Promise.all(
    bundles.map(async ({ name, file }) => {
      await cp(path.dirname(file), path.join(projectRoot, packagedFunctions, name), { recursive: true });
      return metafileOf({ file });
    }),
  );
  await writeFile(path.join(packageFolder, 'NOTICES.txt'), toNotices('capi-serverless', readBundled(metafiles)));
}

async function buildModules(): Promise<void> {
  await build({
    absWorkingDir: projectRoot,
    entryPoints: Object.fromEntries(packageEntries.map(({ name, source }) => [name, source])),
    outdir: packageFolder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    chunkNames: 'chunks/[hash]',
    legalComments: 'none',
    plugins: [packagesOfOthers, eagerRules],
    logLevel: 'silent',
  });
}

/**
 * Third-party packages are not bundled, because the bundler of a provider's author includes the used parts. Packages of
 * this project are bundled.
 */
const packagesOfOthers: Plugin = {
  name: 'packages-of-others',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path: name, kind }) =>
      kind === 'entry-point' || name.startsWith('@capi-serverless/') ? undefined : { path: name, external: true },
    );
  },
};

/** The in-memory API server requires its rule engine by name on first use. The build bundles this engine as well. */
const eagerRules: Plugin = {
  name: 'eager-rules',
  setup({ onLoad }) {
    onLoad({ filter: /apiserver\/core\/schema\/rule-engine\.ts$/ }, () => ({
      contents: `import * as rules from '@capi-serverless/cel';
        import * as patterns from '@capi-serverless/apimachinery/pattern';
        export const ruleEngine = () => rules;
        export const patternEngine = () => patterns;`,
      resolveDir: projectRoot,
    }));
  },
};

async function writeDeclarationOf({ name, source }: PackageEntry): Promise<void> {
  const target = `./${typesFolder}/${source.replace(/\.ts$/, '.d.ts')}`;
  await writeFile(path.join(packageFolder, `${name}.d.ts`), `export * from '${target.replace(/\.d\.ts$/, '.js')}';\n`);
}
