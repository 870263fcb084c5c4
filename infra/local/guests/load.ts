// A provider of the user's own beside ours: its module is bundled as it is deployed, and asked for its reconcilers.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Message } from 'esbuild';
import * as z from 'zod/mini';
import { toError } from '../../../shared/kernel/errors.ts';
import type { Declaration } from '../../../shared/kernel/types.ts';
import { crdNameOf } from '../../../shared/names/plural.ts';
import { bundleFunction, projectRoot, type Resolution } from '../../bundles/bundle.ts';
import { UsageError } from '../options.ts';
import { type GuestDefinition, readDefinitions } from './definitions.ts';
import { type ProviderFolder, readProviderFolder } from './folder.ts';
import { typeProblems } from './type-check.ts';

export interface Guest extends ProviderFolder {
  readonly declarations: readonly Declaration[];
  readonly crds: readonly GuestDefinition[];
}

export interface Guests {
  readonly providers: readonly Guest[];
  /** A folder below the project that goes when these are closed. */
  readonly scratch: string;
  close(): Promise<void>;
}

/** This package is what runs, installed beside the provider or not; of others that of the provider wins. */
export const guestResolution: Resolution = {
  alias: { 'capi-serverless/actuator': path.join(projectRoot, 'shared/actuator/index.ts') },
  nodePaths: [path.join(projectRoot, 'node_modules')],
};

/** Those of all of them. */
export function guestDeclarations({ providers }: Guests): readonly Declaration[] {
  return providers.flatMap(({ declarations }) => declarations);
}

/** `taken`: the declarations that run anyway. Throws UsageError with the place of what is wrong. */
export async function loadGuests(folders: readonly string[], taken: readonly Declaration[]): Promise<Guests> {
  const home = path.join(projectRoot, 'dist/local');
  await mkdir(home, { recursive: true });
  const scratch = await mkdtemp(path.join(home, 'providers-'));
  const close = (): Promise<void> => rm(scratch, { recursive: true, force: true });
  try {
    const providers: Guest[] = [];
    for (const [number, folder] of folders.entries()) {
      const guest = await loadGuest(folder, path.join(scratch, String(number)));
      refuseTaken(guest, [...taken, ...providers.flatMap(({ declarations }) => declarations)]);
      providers.push(guest);
    }
    return { providers, scratch, close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

async function loadGuest(name: string, scratch: string): Promise<Guest> {
  const folder = await readProviderFolder(name);
  await mkdir(scratch, { recursive: true });
  const [declarations, problems] = await Promise.all([
    readDeclarations(folder, scratch).catch(toError),
    typeProblems(folder, scratch),
  ]);
  // A wrong option often shows as a type, too: the compiler names the place.
  const [first, ...others] = problems;
  if (first !== undefined) {
    const more = others.length === 0 ? '' : `; and ${others.length} more`;
    throw new UsageError(`${first}${more}; mend it, npm run typecheck in ${name} shows all`);
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

/** The module is evaluated here as well as in each of its functions. */
async function readDeclarations({ name, entry }: ProviderFolder, scratch: string): Promise<readonly Declaration[]> {
  const source = path.join(scratch, 'module.ts');
  await writeFile(source, `export * from ${JSON.stringify(entry)};\n`);
  const { file } = await bundleFunction(
    { name: 'module', entry: path.relative(projectRoot, source) },
    scratch,
    guestResolution,
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
  // Parsed just above: the SDK's define functions make nothing else of such a form.
  const { reconcilers } = module as { readonly reconcilers: readonly { readonly declaration: Declaration }[] };
  return reconcilers.map(({ declaration }) => declaration);
}

/** Its first problem, with the place. */
function toBuildText(thrown: unknown): string {
  const { errors = [] } = thrown as { readonly errors?: readonly Message[] }; // of esbuild's form, or of none
  const [first] = errors;
  if (first === undefined) {
    return toError(thrown).message;
  }
  const { text, location } = first;
  const place = location === null ? '' : `${location.file}:${location.line}:${location.column + 1}: `;
  const hint = text.startsWith('Could not resolve') ? '; run npm install in its folder' : '';
  return `${place}${text}${hint}`;
}

/** Two reconcilers of one name would share a queue, two of one kind each other's objects. */
function refuseTaken({ name: folder, declarations }: Guest, taken: readonly Declaration[]): void {
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
        `Provider ${folder}: ${kind} has a reconciler already, and two would undo each other's work; rename the kind, or leave one of them out`,
      );
    }
    known.push(declaration);
  }
}
