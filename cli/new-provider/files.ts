// The files of a new provider. They are the templates in this folder with replaced placeholders.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { pluralOf } from '@capi-serverless/apimachinery';
import * as z from 'zod/mini';
import { projectRoot } from '../../infra/bundles/bundle.ts';
import { isOwnGroup, type NewProvider, toKind, toTitle } from './options.ts';

interface NewFile {
  /** The path relative to the provider's folder. */
  readonly name: string;
  readonly text: string;
}

const templates = path.join(import.meta.dirname, 'template');

/** Some files have another name as template, because packers drop or change files with these names. */
const files: readonly (readonly [name: string, template?: string])[] = [
  ['README.md'],
  ['package.json'],
  ['tsconfig.json'],
  ['.gitignore', 'gitignore'],
  ['provider.ts'],
  ['cloud.ts'],
  ['crds.yaml'],
  ['examples/cluster.yaml'],
  ['test/provider.test.ts'],
  ['test/conformance.test.ts'],
  ['app.ts'],
  ['cdk.json'],
];

/** The scripts that link the Node of an install. A provider has them as well, with the same packages. */
const tools = ['installed-node.js', 'link-node.js'] as const;

/** `tarball` is the name of the packed package. Throws Error for an unknown placeholder. */
export function toFiles(options: NewProvider, tarball: string): readonly NewFile[] {
  const values = toValues(options, tarball);
  const render = (name: string): string => fillIn(readFileSync(path.join(templates, `${name}.txt`), 'utf8'), values);
  const rendered = files.map(([name, template = name]) => ({
    name,
    text: render(template) + (name === 'crds.yaml' && isOwnGroup(options.group) ? render('cluster-role.yaml') : ''),
  }));
  const copied = tools.map(name => ({
    name: `tools/${name}`,
    text: readFileSync(path.join(projectRoot, 'cli', name), 'utf8'),
  }));
  return [...rendered, ...copied];
}

type Values = Readonly<Record<string, string>>;

const versionsSchema = z.optional(z.record(z.string(), z.string()));
const manifestSchema = z.object({
  dependencies: versionsSchema,
  devDependencies: versionsSchema,
  optionalDependencies: versionsSchema,
});

function toValues({ name, group }: NewProvider, tarball: string): Values {
  const kind = toKind(name);
  return {
    name,
    title: toTitle(name),
    kind,
    group,
    tarball,
    singular: kind.toLowerCase(),
    plural: pluralOf(kind),
    templatePlural: pluralOf(`${kind}Template`),
    roleNote: isOwnGroup(group) ? ", and the ClusterRole by which Cluster API's manager may work on them" : '',
    ...versions(),
  };
}

/** The package versions with which this project is tested. */
function versions(): Values {
  const all = ['package.json', 'cli/package.json'].flatMap(file => {
    const text = readFileSync(path.join(projectRoot, file), 'utf8');
    const { dependencies, devDependencies, optionalDependencies } = manifestSchema.parse(JSON.parse(text));
    return Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });
  });
  return Object.fromEntries(all.map(([name, version]) => [`version:${name}`, version]));
}

function fillIn(text: string, values: Values): string {
  return text.replaceAll(/\{\{([\w:@/-]+)\}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) {
      throw new Error(`A template uses ${name}, which is unknown`);
    }
    return value;
  });
}
