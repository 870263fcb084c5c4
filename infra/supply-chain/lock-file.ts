// Rules for the lock file and package.json: every install produces the same files, and install scripts need permission.
// Pure.
import * as z from 'zod';

const packageSchema = z.object({
  version: z.string().optional(),
  integrity: z.string().optional(),
  resolved: z.string().optional(),
  license: z.string().optional(),
  link: z.boolean().optional(),
  /** Whether the package is bundled in the archive of its parent package, which has a digest. */
  inBundle: z.boolean().optional(),
  hasInstallScript: z.boolean().optional(),
  dev: z.boolean().optional(),
  devOptional: z.boolean().optional(),
  optional: z.boolean().optional(),
  dependencies: z.record(z.string(), z.string()).optional(),
  devDependencies: z.record(z.string(), z.string()).optional(),
  optionalDependencies: z.record(z.string(), z.string()).optional(),
  peerDependencies: z.record(z.string(), z.string()).optional(),
});

export type LockedPackage = z.infer<typeof packageSchema>;

const lockFileSchema = z.object({ lockfileVersion: z.number(), packages: z.record(z.string(), packageSchema) });

export type LockFile = z.infer<typeof lockFileSchema>;

const manifestSchema = z.object({
  dependencies: z.record(z.string(), z.string()).default({}),
  devDependencies: z.record(z.string(), z.string()).default({}),
  allowScripts: z.record(z.string(), z.boolean()).default({}),
});

type Manifest = z.infer<typeof manifestSchema>;

/** Throws ZodError. */
export function parseLockFile(text: string): LockFile {
  return lockFileSchema.parse(JSON.parse(text));
}

/** Throws ZodError. */
export function parseManifest(text: string): Manifest {
  return manifestSchema.parse(JSON.parse(text));
}

/**
 * Returns true if npm downloads the package at this path. Packages of this project are folders of the repository and
 * links to them.
 */
export function isFetched([path, { link, resolved }]: readonly [string, LockedPackage]): boolean {
  const isOwnFolder = !path.includes('node_modules/');
  const isLinkToOwn = link === true && resolved !== undefined && ownFolder.test(resolved);
  return !isOwnFolder && !isLinkToOwn;
}

/** Converts `node_modules/a/node_modules/@b/c` to `@b/c`. */
export function nameAt(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

/** The paths in the form of `workspaces` in package.json. */
const ownFolder = /^(cli|packages\/[\w-]+)$/;
const wantedVersion = 3;
const exactVersion = /^\d+\.\d+\.\d+(-[\w.]+)?$/;
const sha512 = /^sha512-[A-Za-z0-9+/]{86}==$/;
/** Returns true if the package comes from another source than the registry. */
const elsewhere = /^(git|file|link|https?|ssh|github|gitlab|bitbucket)[:+]|^[\w.-]+\/[\w.-]+(#|$)/;

/** Returns one line for each broken rule, with the package that breaks it. */
export function checkLockFile({ lockfileVersion, packages }: LockFile, manifest: Manifest): readonly string[] {
  const entries = Object.entries(packages).filter(isFetched);
  return [
    ...(lockfileVersion === wantedVersion
      ? []
      : [`package-lock.json: has version ${lockfileVersion}, not ${wantedVersion}`]),
    ...checkManifest(manifest, packages),
    ...checkWorkspaces(packages),
    ...entries.flatMap(([path, entry]) => checkEntry(path, entry)),
    ...checkScripts(entries, manifest.allowScripts),
  ];
}

function checkManifest(manifest: Manifest, packages: LockFile['packages']): readonly string[] {
  return Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }).flatMap(([name, wanted]) => {
    if (!exactVersion.test(wanted)) {
      return [`package.json: ${name} is "${wanted}", not one exact version`];
    }
    const locked = packages[`node_modules/${name}`]?.version ?? 'not there';
    return locked === wanted
      ? []
      : [`package-lock.json: ${name} is ${locked}, package.json wants ${wanted}; run npm install`];
  });
}

/** `npm ci` refuses a lock file whose entries of workspaces differ from their package.json. */
function checkWorkspaces(packages: LockFile['packages']): readonly string[] {
  return Object.entries(packages)
    .filter(([path]) => ownFolder.test(path))
    .flatMap(([path, entry]) =>
      Object.entries({ ...entry.dependencies, ...entry.devDependencies, ...entry.optionalDependencies })
        .filter(([, wanted]) => !exactVersion.test(wanted))
        .map(([name, wanted]) => `${path}/package.json: ${name} is "${wanted}", not one exact version`),
    );
}

function checkEntry(path: string, entry: LockedPackage): readonly string[] {
  const label = `package-lock.json: ${path}`;
  const wanted = { ...entry.dependencies, ...entry.optionalDependencies, ...entry.peerDependencies };
  return [
    ...(entry.link === true ? [`${label} is a link to a folder`] : []),
    ...(entry.resolved === undefined
      ? []
      : [`${label} names where it was fetched from; set omit-lockfile-registry-resolved`]),
    ...(entry.inBundle === true || entry.link === true || sha512.test(entry.integrity ?? '')
      ? []
      : [`${label} has no sha512 digest; install from the lock file of the commit before into an empty folder`]),
    ...Object.entries(wanted)
      .filter(([, range]) => elsewhere.test(range))
      .map(([name]) => `${label} wants ${name} from somewhere else than the registry`),
  ];
}

function checkScripts(
  entries: readonly (readonly [string, LockedPackage])[],
  allowed: Manifest['allowScripts'],
): readonly string[] {
  const running = new Set(
    entries.filter(([, { hasInstallScript }]) => hasInstallScript === true).map(([path]) => nameAt(path)),
  );
  return [
    ...[...running]
      .filter(name => allowed[name] !== true)
      .map(
        name => `package-lock.json: ${name} has an install script, which allowScripts of package.json does not name`,
      ),
    ...Object.keys(allowed)
      .filter(name => !running.has(name))
      .map(name => `package.json: allowScripts names ${name}, which has no install script`),
  ];
}
