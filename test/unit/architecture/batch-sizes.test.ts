// Checks that a reconciler with an engine for texts of tenants has invocations of one message, with the import graph.
import { describe, expect, it } from 'vitest';
import { declarations } from '../../../functions/declarations.ts';
import { toReconcilerFunctions, toSharedFunction } from '../../../infra/function-plans.ts';
import { readImportGraph } from './import-graph.ts';

const importsOf = new Map(readImportGraph().map(({ file, imports }) => [file, imports]));

/** The engines: rules, templates, and manifests. */
const engines = ['packages/cel/compile-rule.ts', 'packages/go-template/render.ts', 'packages/go-template/yaml11.ts'];

function reachableFrom(file: string): ReadonlySet<string> {
  const reached = new Set([file]);
  for (const each of reached) {
    for (const target of importsOf.get(each) ?? []) {
      reached.add(target);
    }
  }
  return reached;
}

function enginesOf(reconciler: string): readonly string[] {
  const reached = reachableFrom(`functions/${reconciler}/reconciler.ts`);
  return engines.filter(engine => reached.has(engine));
}

describe('the batch size of a reconciler', () => {
  it('finds the engines', () => {
    expect(engines.filter(engine => !importsOf.has(engine))).toEqual([]);
    expect(enginesOf('topology')).toEqual(engines);
  });

  it.each(declarations)('is one for $name if it runs what tenants write, and ten otherwise', ({ name, batchSize }) => {
    expect(batchSize).toBe(enginesOf(name).length > 0 ? 1 : undefined);
  });

  it('is one in the function of all reconcilers', () => {
    expect(toSharedFunction(toReconcilerFunctions(declarations, 'functions')).batchSize).toBe(1);
  });
});
