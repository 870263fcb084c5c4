// Every function that reads a text of others is called by a fuzzed parser, or has a reason why not.

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readImportGraph, root } from '../architecture/import-graph.ts';

const folder = 'test/fuzz/parsers';
const parsers = readdirSync(path.join(root, folder)).map(file => file.replace(/\.ts$/, ''));

/** Functions on one text whose name says that they parse or read it. */
const reader =
  /^export (?:async )?function ((?:parse|decode|compile|read)[A-Z]?\w*|[a-z]+In)\(\s*(?:text|source|body|document|bytes|layout|constraint): (?:string|Uint8Array)/gm;

/** Files with such functions that no fuzzed parser reaches. Their texts are not those of tenants. */
const trusted: Readonly<Record<string, string>> = {
  'functions/resync/repairs.ts': 'what the resync has stored itself',
  'shared/aws/secrets.ts': 'an answer of AWS',
};

const graph = readImportGraph(['test', 'functions', 'shared', 'packages']);
const importsOf = new Map(graph.map(({ file, imports }) => [file, imports]));

function reachedFrom(files: readonly string[]): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [...files];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (!reached.has(file)) {
      reached.add(file);
      open.push(...(importsOf.get(file) ?? []));
    }
  }
  return reached;
}

/** The files of the product with such functions. */
const readers = graph
  .map(({ file }) => file)
  .filter(
    file => /^(?:functions|shared|packages)\//.test(file) && !/^packages\/(?:apiserver|provider-sdk)\//.test(file),
  )
  .filter(file => [...readFileSync(path.join(root, file), 'utf8').matchAll(reader)].length > 0);

describe('the fuzzed parsers', () => {
  it('reach each file that reads a text of others', () => {
    const reached = reachedFrom(parsers.map(name => `${folder}/${name}.ts`));
    expect(readers.length).toBeGreaterThan(15);
    expect(readers.filter(file => !reached.has(file) && trusted[file] === undefined)).toEqual([]);
    expect(Object.keys(trusted).filter(file => reached.has(file) || !readers.includes(file))).toEqual([]);
  });

  it('are those of the list', () => {
    expect(parsers.toSorted()).toEqual([
      'audit-bodies',
      'certificates',
      'json-patches',
      'json-texts',
      'kubeconfig',
      'messages',
      'patterns',
      'rules',
      'scalars',
      'selectors',
      'templates',
      'variables',
      'yaml',
    ]);
  });

  it.each(parsers)('have the name of their file: %s', async name => {
    const { parser } = (await import(path.join(root, folder, `${name}.ts`))) as { readonly parser: { name: string } };
    expect(parser.name).toBe(name);
  });
});
