// Paths with slashes. https://pkg.go.dev/path
import { define, type FunctionTable } from '../call.ts';

/** Returns the shortest equivalent path. */
function clean(path: string): string {
  const isRooted = path.startsWith('/');
  const kept: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..' && kept.length > 0 && kept.at(-1) !== '..') {
      kept.pop();
    } else if (part !== '' && part !== '.' && !(part === '..' && isRooted)) {
      kept.push(part);
    }
  }
  const joined = kept.join('/');
  return isRooted ? `/${joined}` : joined === '' ? '.' : joined;
}

function base(path: string): string {
  const last = path.split('/').findLast(part => part !== '');
  return path === '' ? '.' : (last ?? '/');
}

function extension(path: string): string {
  return /\.[^./]*$/.exec(path)?.[0] ?? '';
}

const of = (make: (path: string) => string | boolean) => define(['string'], ([path]) => make(path));

const functions = {
  base: of(base),
  clean: of(clean),
  dir: of(path => clean(path.slice(0, path.lastIndexOf('/') + 1))),
  ext: of(extension),
  isAbs: of(path => path.startsWith('/')),
};

export const pathFunctions: FunctionTable = {
  ...functions,
  osBase: functions.base,
  osClean: functions.clean,
  osDir: functions.dir,
  osExt: functions.ext,
  osIsAbs: functions.isAbs,
};
