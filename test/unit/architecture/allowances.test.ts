// Finds allowances of the architecture tests and of the linter that no longer match anything. knip reports its own.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { isPureModule, modulePatterns } from '../../mutation/pure-modules.ts';
import { adapters, digests, packageAllowances, purePackages } from './allowances.ts';
import { readImportGraph, root, type SourceFile } from './import-graph.ts';

const graph = readImportGraph();
const isPure = ({ file }: SourceFile): boolean => isPureModule(file);
const imports = (files: readonly SourceFile[], pattern: RegExp): boolean =>
  files.some(({ packages }) => packages.some(name => pattern.test(name)));

describe('allowances of the architecture', () => {
  it('name modules that exist', () => {
    const unused = adapters.filter(pattern => !graph.some(({ file }) => pattern.test(file)));
    expect(unused).toEqual([]);
    expect(modulePatterns.filter(glob => !graph.some(({ file }) => path.matchesGlob(file, glob)))).toEqual([]);
  });

  it('name packages that pure modules import', () => {
    const files = graph.filter(isPure);
    expect(purePackages.filter(pattern => !imports(files, pattern))).toEqual([]);
  });

  it('name files that compute digests', () => {
    const unused = digests.filter(
      name =>
        !imports(
          graph.filter(({ file }) => file === name),
          /^node:crypto$/,
        ),
    );
    expect(unused).toEqual([]);
  });

  it.each(packageAllowances)('name modules that import $pattern', ({ pattern, where }) => {
    const unused = where.filter(
      module =>
        !imports(
          graph.filter(({ file }) => module.test(file)),
          pattern,
        ),
    );
    expect(unused).toEqual([]);
  });
});

/** The pattern in a file that requires the disabled rule. */
const needs: Readonly<Record<string, RegExp>> = {
  noConsole: /\bconsole\./,
  noRestrictedImports: /from 'fast-check'/,
};

interface BiomeOverride {
  readonly includes: readonly string[];
  readonly linter: { readonly rules: Readonly<Record<string, Readonly<Record<string, string>>>> };
}

describe('overrides of the linter', () => {
  const { overrides } = JSON.parse(readFileSync(path.join(root, 'biome.json'), 'utf8')) as {
    readonly overrides: readonly BiomeOverride[];
  };
  const cases = overrides.flatMap(({ includes, linter }) =>
    Object.values(linter.rules)
      .flatMap(rules => Object.keys(rules))
      .flatMap(rule => includes.map(glob => ({ rule, glob }))),
  );

  it.each(cases)('$rule is needed in $glob', ({ rule, glob }) => {
    const need = needs[rule] ?? /^$/;
    expect(sourcesOf(glob).some(file => need.test(readFileSync(file, 'utf8')))).toBe(true);
  });
});

/** Returns the sources of `folder/**`, or the file itself. */
function sourcesOf(glob: string): readonly string[] {
  const start = path.join(root, glob.replace(/\/\*\*$/, ''));
  if (!existsSync(start)) {
    return [];
  }
  return statSync(start).isFile()
    ? [start]
    : readdirSync(start, { recursive: true, encoding: 'utf8' })
        .filter(file => /\.(ts|mjs|js)$/.test(file) && !file.includes('node_modules'))
        .map(file => path.join(start, file));
}
