// Checks the modules and arrows of docs/architecture.md with the import graph. Type imports are included.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { declarations } from '../../../functions/declarations.ts';
import { isPureModule } from '../../mutation/pure-modules.ts';
import { adapters, digests, packageAllowances, purePackages, twoWayFolders } from './allowances.ts';
import { graphOf, modules, readImportGraph, root, type SourceFile } from './import-graph.ts';

const graph = readImportGraph();

const isDigest = (target: string, file: string): boolean => target === 'node:crypto' && digests.includes(file);

const isAny = (patterns: readonly RegExp[], text: string): boolean => patterns.some(pattern => pattern.test(text));

function violations(select: (file: SourceFile) => boolean, broken: (target: string, from: SourceFile) => boolean) {
  return graph
    .filter(select)
    .flatMap(from =>
      [...from.imports, ...from.packages]
        .filter(target => broken(target, from))
        .map(target => `${from.file} → ${target}`),
    );
}

const isOurs = (target: string): boolean => /^(functions|shared|packages|infra|local|cli)\//.test(target);
const functionOf = (file: string): string | undefined => /^functions\/([^/]+)\//.exec(file)?.[1];

const packageOf = (file: string): string | undefined => /^packages\/([^/]+)\//.exec(file)?.[1];

describe('the import graph', () => {
  it('holds every import that the bundler sees', async () => {
    const { inputs } = await graphOf(graph.map(({ file }) => file));
    const known = new Map(graph.map(({ file, imports, packages }) => [file, new Set([...imports, ...packages])]));
    const missed = Object.entries(inputs).flatMap(([file, { imports }]) =>
      imports
        .filter(
          imported =>
            modules.some(module => file.startsWith(`${module}/`)) && known.get(file)?.has(imported.path) !== true,
        )
        .map(({ path: to }) => `${file} → ${to}`),
    );
    expect(Object.keys(inputs).length).toBeGreaterThan(500);
    expect(missed).toEqual([]);
  });

  it('has no import cycle', () => {
    expect(findCycles(graph)).toEqual([]);
  });
});

describe('two folders beside each other', () => {
  const file = (name: string, ...imports: readonly string[]): SourceFile => ({ file: name, imports, packages: [] });

  it.each([
    { files: [file('a/x/1.ts', 'a/y/1.ts'), file('a/y/2.ts', 'a/x/2.ts')], pairs: ['a/x ↔ a/y'], reason: 'both ways' },
    { files: [file('a/x/1.ts', 'a/y/1.ts'), file('a/y/2.ts', 'a/z/2.ts')], pairs: [], reason: 'one way' },
    { files: [file('a/x/1.ts', 'a/2.ts'), file('a/2.ts', 'a/x/3.ts')], pairs: [], reason: 'a folder and its parent' },
    {
      files: [file('a/x/b/1.ts', 'a/y/1.ts'), file('a/y/c/2.ts', 'a/x/2.ts')],
      pairs: ['a/x ↔ a/y'],
      reason: 'files in folders below',
    },
  ])('are found: $reason', ({ files, pairs }) => {
    expect(findTwoWay(files)).toEqual(pairs);
  });

  it('do not import each other, but for the reviewed pairs', () => {
    expect(findTwoWay(graph)).toEqual(twoWayFolders);
  });
});

describe('the arrows between modules', () => {
  it('keeps packages independent of the rest', () => {
    expect(
      violations(
        ({ file }) => packageOf(file) !== undefined,
        target => isOurs(target) && packageOf(target) === undefined,
      ),
    ).toEqual([]);
  });

  it('lets everything outside a package reach its entries only', () => {
    const entries = new Set(readdirSync(path.join(root, 'packages')).flatMap(entriesOf));
    const broken = (target: string, from: SourceFile): boolean =>
      packageOf(target) !== undefined && packageOf(target) !== packageOf(from.file) && !entries.has(target);
    expect(violations(() => true, broken)).toEqual([]);
  });

  it('keeps pure modules pure: they reach only each other and packages without I/O', () => {
    const broken = (target: string, { file }: SourceFile): boolean =>
      isOurs(target) ? !isPureModule(target) : !isAny(purePackages, target) && !isDigest(target, file);
    expect(violations(({ file }) => isPureModule(file), broken)).toEqual([]);
  });

  it('keeps shared below functions and infra', () => {
    expect(
      violations(
        ({ file }) => file.startsWith('shared/'),
        target => /^(functions|infra|local|cli)\//.test(target),
      ),
    ).toEqual([]);
  });

  it('keeps functions below infra, and each function to itself', () => {
    const broken = (target: string, from: SourceFile): boolean =>
      /^(infra|local|cli)\//.test(target) ||
      (functionOf(target) !== undefined && functionOf(target) !== functionOf(from.file));
    expect(violations(({ file }) => functionOf(file) !== undefined, broken)).toEqual([]);
  });

  it.each(['local', 'infra'])('keeps %s below cli', module => {
    expect(
      violations(
        ({ file }) => file.startsWith(`${module}/`),
        target => target.startsWith('cli/'),
      ),
    ).toEqual([]);
  });

  it('lets cli and local reach a reconciler through its declaration and its public face only', () => {
    const face = /^functions\/[^/]+\/((declaration|explain|why)\.ts$|why\/)/;
    const reconcilers = new Set(declarations.map(({ name }) => name));
    expect(
      violations(
        ({ file }) => /^(cli|local)\//.test(file),
        target => reconcilers.has(functionOf(target) ?? '') && !face.test(target),
      ),
    ).toEqual([]);
  });

  it('lets observe reach ports only, in one file or in a folder of its own', () => {
    expect(
      violations(
        ({ file }) => /\/observe(\.ts$|\/)/.test(file),
        (target, { file }) => isAny(adapters, target) || (!isOurs(target) && !isDigest(target, file)),
      ),
    ).toEqual([]);
  });

  it('lets infra/aws refer to handlers by path only', () => {
    expect(
      violations(
        ({ file }) => file.startsWith('infra/aws/'),
        target => /handler\.ts$/.test(target),
      ),
    ).toEqual([]);
  });
});

describe('where packages may appear', () => {
  it.each(packageAllowances)('$pattern only where $where ($reason)', ({ pattern, where }) => {
    expect(
      violations(
        ({ file }) => !isAny(where, file),
        target => !isOurs(target) && pattern.test(target),
      ),
    ).toEqual([]);
  });
});

describe('ambient inputs', () => {
  const ambient = /\b(Date\.now\(|new Date\(\)|Math\.random\(|process\.|console\.|setTimeout\(|setInterval\(|fetch\()/;

  it('come in as parameters outside adapters: no clock, randomness, environment, console or timer', () => {
    const offenders = graph
      .filter(({ file }) => !isAny(adapters, file))
      .filter(({ file }) => ambient.test(withoutComments(readFileSync(path.join(root, file), 'utf8'))))
      .map(({ file }) => file);
    expect(offenders).toEqual([]);
  });
});

function entriesOf(name: string): readonly string[] {
  const manifest = JSON.parse(readFileSync(path.join(root, 'packages', name, 'package.json'), 'utf8'));
  return Object.values<string>(manifest.exports).map(entry => path.posix.join('packages', name, entry));
}

function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '');
}

/** Returns the pairs of folders that import each other. They are named by the first part in which their paths differ. */
function findTwoWay(files: readonly SourceFile[]): readonly string[] {
  const arrows = new Set(
    files.flatMap(({ file, imports }) =>
      imports.flatMap(target => {
        const from = path.posix.dirname(file).split('/');
        const to = path.posix.dirname(target).split('/');
        const at = from.findIndex((part, index) => part !== to[index]);
        return at < 0 || to[at] === undefined
          ? []
          : [`${from.slice(0, at + 1).join('/')} ↔ ${to.slice(0, at + 1).join('/')}`];
      }),
    ),
  );
  return [...arrows]
    .filter(arrow => {
      const [from = '', to = ''] = arrow.split(' ↔ ');
      return from < to && arrows.has(`${to} ↔ ${from}`);
    })
    .toSorted();
}

function findCycles(files: readonly SourceFile[]): readonly string[] {
  const importsOf = new Map(files.map(({ file, imports }) => [file, imports]));
  const state = new Map<string, 'open' | 'closed'>();
  const cycles: string[] = [];
  const visit = (file: string, trail: readonly string[]): void => {
    if (state.get(file) === 'open') {
      cycles.push([...trail.slice(trail.indexOf(file)), file].join(' → '));
      return;
    }
    if (state.get(file) === 'closed') {
      return;
    }
    state.set(file, 'open');
    for (const imported of importsOf.get(file) ?? []) {
      visit(imported, [...trail, file]);
    }
    state.set(file, 'closed');
  };
  for (const { file } of files) {
    visit(file, []);
  }
  return cycles;
}
