// Loads an external provider: bundles its module as for a deployment, and reads the reconcilers that it exports.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { crdNameOf } from '@capi-serverless/apimachinery';
import { type Declaration, toError } from '@capi-serverless/reconciler';
import type { Message } from 'esbuild';
import * as z from 'zod/mini';
import { bundleFunction, projectRoot, type Resolution } from '../../infra/bundles/bundle.ts';
import { UsageError } from '../usage-error.ts';
import { type ExternalDefinition, readDefinitions } from './external-definitions.ts';
import { type ProviderFolder, readProviderFolder } from './folder.ts';
import { typeProblems } from './type-check.ts';

export interface ExternalProvider extends ProviderFolder {
  readonly declarations: readonly Declaration[];
  readonly crds: readonly ExternalDefinition[];
}

export interface ExternalProviders {
  readonly providers: readonly ExternalProvider[];
  /** A folder in the project. It is removed when the providers are closed. */
  readonly scratch: string;
  close(): Promise<void>;
}

/**
 * Imports of this package resolve to the running package, even if the provider has not installed it. Other packages
 * resolve from the provider.
 */
export const externalResolution: Resolution = {
  alias: { 'capi-serverless/actuator': path.join(projectRoot, 'packages/provider-sdk/index.ts') },
  nodePaths: [path.join(projectRoot, 'node_modules')],
};

/** The declarations of all external providers. */
export function externalDeclarations({ providers }: ExternalProviders): readonly Declaration[] {
  return providers.flatMap(({ declarations }) => declarations);
}

/** `taken` contains the declarations of the other functions. Throws UsageError with the position of the problem. */
export async function loadExternalProviders(
  folders: readonly string[],
  taken: readonly Declaration[],
): Promise<ExternalProviders> {
  const home = path.join(projectRoot, 'dist/local');
  await mkdir(home, { recursive: true });
  const scratch = await mkdtemp(path.join(home, 'providers-'));
  const close = (): Promise<void> => rm(scratch, { recursive: true, force: true });
  try {
    const providers: ExternalProvider[] = [];
    for (const [number, folder] of folders.entries()) {
      const provider = await loadExternalProvider(folder, path.join(scratch, String(number)));
      refuseTaken(provider, [...taken, ...providers.flatMap(({ declarations }) => declarations)]);
      providers.push(provider);
    }
    return { providers, scratch, close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

async function loadExternalProvider(name: string, scratch: string): Promise<ExternalProvider> {
  const folder = await readProviderFolder(name);
  await mkdir(scratch, { recursive: true });
  const [declarations, problems] = await Promise.all([
    readDeclarations(folder, scratch).catch(toError),
    typeProblems(folder, scratch),
  ]);
  // An invalid option is often a type error as well. The compiler then reports the position.
  const [first, ...others] = problems;
  if (first !== undefined) {
    const more = others.length === 0 ? '' : `; and ${others.length} more`;
    throw new UsageError(`${first}${more}; npm run typecheck in ${name} shows all errors`);
  }
  if (declarations instanceof Error) {
    throw declarations;
  }
  return { ...folder, declarations, crds: readDefinitions(folder, declarations) };
}

const declarationSchema = z.looseObject({
  name: z.string(),
  primary: z.looseObject({ group: z.string(), version: z.string(), kind: z.string() }),
  watches: z.array(z.looseObject({})),
  rules: z.array(z.looseObject({})),
  timeoutSeconds: z.number(),
});
const moduleSchema = z.looseObject({
  reconcilers: z.array(z.looseObject({ declaration: declarationSchema })).check(z.minLength(1)),
});

/** The module is evaluated here and in each of its functions. */
async function readDeclarations({ name, entry }: ProviderFolder, scratch: string): Promise<readonly Declaration[]> {
  const source = path.join(scratch, 'module.ts');
  await writeFile(source, `export * from ${JSON.stringify(entry)};\n`);
  const { file } = await bundleFunction(
    { name: 'module', entry: path.relative(projectRoot, source) },
    scratch,
    externalResolution,
  ).catch(thrown => {
    throw new UsageError(`Provider ${name} cannot be bundled: ${toBuildText(thrown)}`, { cause: thrown });
  });
  const module: unknown = await import(pathToFileURL(file).href).catch(thrown => {
    throw new UsageError(`Provider ${name} cannot be loaded: ${toError(thrown).message}`, { cause: thrown });
  });
  if (!moduleSchema.safeParse(module).success) {
    throw new UsageError(
      `Provider ${name}: ${path.basename(entry)} exports no list reconcilers of what defineInfrastructureProvider or its like returned; write export const reconcilers = [defineInfrastructureProvider({…})]`,
    );
  }
  // True: the line above parsed it, and only the SDK's define functions create this form.
  const { reconcilers } = module as { readonly reconcilers: readonly { readonly declaration: Declaration }[] };
  return reconcilers.map(({ declaration }) => declaration);
}

/** Returns the first problem with its position. */
function toBuildText(thrown: unknown): string {
  const { errors = [] } = thrown as { readonly errors?: readonly Message[] }; // True: it is esbuild's form, or absent.
  const [first] = errors;
  if (first === undefined) {
    return toError(thrown).message;
  }
  const { text, location } = first;
  const place = location === null ? '' : `${location.file}:${location.line}:${location.column + 1}: `;
  const hint = text.startsWith('Could not resolve') ? '; run npm install in its folder' : '';
  return `${place}${text}${hint}`;
}

/**
 * Reconcilers with the same name would have the same queue. Reconcilers of the same kind would write each other's
 * objects.
 */
function refuseTaken({ name: folder, declarations }: ExternalProvider, taken: readonly Declaration[]): void {
  const known = [...taken];
  for (const declaration of declarations) {
    const { name, primary } = declaration;
    if (known.some(other => other.name === name)) {
      throw new UsageError(
        `Provider ${folder}: a reconciler ${name} runs already; give another by the option name of its definition`,
      );
    }
    const kind = crdNameOf(primary);
    if (known.some(other => other.primary.group !== 'cluster.x-k8s.io' && crdNameOf(other.primary) === kind)) {
      throw new UsageError(
        `Provider ${folder}: ${kind} has a reconciler already, and two reconcilers would overwrite each other's changes; rename the kind, or remove one of them`,
      );
    }
    known.push(declaration);
  }
}
