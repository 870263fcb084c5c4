// The reason why a package is installed: the shortest chain of dependencies from a package.json of the project. Pure.
import { type LockedPackage, type LockFile, nameAt } from './lock-file.ts';

/**
 * Returns the shortest chain for each installed path, such as `vitest > vite > lightningcss`. Packages without a chain
 * are absent.
 */
export function toDependencyPaths({ packages }: LockFile): ReadonlyMap<string, string> {
  const chains = new Map<string, string>();
  let next = ownFoldersOf(packages).flatMap(folder =>
    namesOf(packages[folder], { withDevelopment: true }).flatMap(name => resolve(packages, folder, name)),
  );
  for (const path of next) {
    chains.set(path, nameAt(path));
  }
  while (next.length > 0) {
    next = next.flatMap(path =>
      namesOf(packages[path], { withDevelopment: false })
        .flatMap(name => resolve(packages, path, name))
        .filter(found => {
          const isNew = !chains.has(found);
          if (isNew) {
            chains.set(found, `${chains.get(path) ?? ''} > ${nameAt(found)}`);
          }
          return isNew;
        }),
    );
  }
  return chains;
}

/** The project itself ("") and its packages. */
function ownFoldersOf(packages: LockFile['packages']): readonly string[] {
  return Object.keys(packages).filter(path => !path.includes('node_modules/'));
}

function namesOf(
  entry: LockedPackage | undefined,
  { withDevelopment }: { readonly withDevelopment: boolean },
): readonly string[] {
  return Object.keys({
    ...entry?.dependencies,
    ...entry?.optionalDependencies,
    ...entry?.peerDependencies,
    ...(withDevelopment ? entry?.devDependencies : {}),
  });
}

/** Resolves packages like Node: https://nodejs.org/api/modules.html#loading-from-node_modules-folders */
function resolve(packages: LockFile['packages'], from: string, name: string): readonly string[] {
  const between = '/node_modules/';
  const folders = from.split(between);
  const nested = folders.map((_, at) => `${folders.slice(0, folders.length - at).join(between)}${between}${name}`);
  const found = [...nested, `node_modules/${name}`].find(path => packages[path] !== undefined);
  return found === undefined ? [] : [found];
}
