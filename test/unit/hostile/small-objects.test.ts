// Small objects that spend as much as they can: every function of templates, overload of rules, keyword of schemas and
// operation of patches, again and again. Each ends at the limit of a small object. Work is counted. Times and memory are
// those of `npm run bench -- units`.
import { type ObjectRef, WorkMeter } from '@capi-serverless/apimachinery';
import { workOfPass } from '@capi-serverless/reconciler';
import { describe, expect, it } from 'vitest';
import { createClusterClassReconciler } from '../../../functions/clusterclass/reconciler.ts';
import { createTopologyReconciler } from '../../../functions/topology/reconciler.ts';
import { growingWorkOfPass, workOfShare } from '../../../packages/reconciler/work.ts';
import { reconcileBatch } from '../../../shared/kernel/batch.ts';
import { toBody } from '../../../shared/workqueue/message.ts';
import { aBatchContext } from '../../support/batch-context.ts';
import { fakeHooks } from '../../support/fake-hooks.ts';
import { createMemoryApi } from '../../support/memory-api.ts';
import { aTenantTopology, type TenantTopology } from '../../support/tenant-topology.ts';
import { patchCases } from '../../support/work-units/patch-cases.ts';
import { ruleCases } from '../../support/work-units/rule-cases.ts';
import { schemaCases } from '../../support/work-units/schema-cases.ts';
import { templateCases } from '../../support/work-units/template-cases.ts';
import type { UnitCase } from '../../support/work-units/unit-case.ts';

const smallCharacters = 1024;
/** A part of the limits, because the work of all rows takes minutes. */
const share = 1 / 250;
const bound = workOfShare(growingWorkOfPass, share);
const mostUnits = 45_000_000 * share;

/** Runs the row until a run is refused. Returns the work of all runs before it. */
function spendAll(row: UnitCase): number {
  const meter = new WorkMeter(bound);
  meter.read('x'.repeat(smallCharacters));
  const run = row.prepare(64);
  let before = 0;
  for (let runs = 0; runs < mostUnits; runs += 1) {
    const error = attempt(() => run(meter));
    const isRefused = error?.includes('limit exceeded') === true || meter.left === 0;
    // An expression that is refused before it runs has no work.
    if (isRefused || meter.spent === 0) {
      return before;
    }
    before = meter.spent;
  }
  throw new Error(`${row.shown} on ${row.input}: runs without end, with ${meter.spent} units`);
}

function attempt(run: () => string | undefined): string | undefined {
  try {
    return run();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

describe('a small object', () => {
  it.each([
    { engine: 'functions of templates', cases: templateCases },
    { engine: 'overloads of rules', cases: ruleCases },
    { engine: 'keywords of schemas', cases: schemaCases },
    { engine: 'operations of patches', cases: patchCases },
  ])('has no more work than its limit: $engine', ({ cases }) => {
    const dear = cases.map(row => ({ row, units: spendAll(row) })).filter(({ units }) => units > mostUnits);
    expect(dear.map(({ row, units }) => `${row.shown} on ${row.input}: ${units}`)).toEqual([]);
  });
});

interface SmallAttack extends TenantTopology {
  readonly reason: string;
}

const attacks: readonly SmallAttack[] = [
  { reason: 'an empty loop', templates: ['{{ range 100000000 }}{{ end }}'] },
  {
    reason: 'long texts in upper case',
    templates: ['{{ $t := repeat 9999 "é" }}{{ range 99999 }}{{ $x := upper $t }}{{ end }}'],
  },
  {
    reason: 'copies of maps',
    templates: [
      '{{ $l := list (dict) (dict) (dict) (dict) (dict) (dict) (dict) (dict) }}{{ range 7 }}{{ $l = concat $l $l $l $l }}{{ end }}{{ range 99 }}{{ $x := deepCopy $l }}{{ end }}',
    ],
  },
  {
    reason: 'expressions with large classes',
    templates: [
      '{{ $p := print "(?i)[" (repeat 200 "\\\\pL") "]" }}{{ range 99999 }}{{ $x := regexMatch $p "a" }}{{ end }}',
    ],
  },
  {
    reason: 'derived passwords',
    templates: ['{{ range 99 }}{{ $x := derivePassword 1 "long" "p" "u" "s" }}{{ end }}'],
  },
  { reason: 'YAML of many tokens', templates: ['[{{ repeat 190000 "{}," }}]'] },
];

it.each(attacks)('names the limit of a small object in the condition: $reason', async attack => {
  const api = createMemoryApi();
  api.given(...aTenantTopology('c0', attack));
  const ports = { hooks: fakeHooks(), nodes: { kubeletVersions: async () => new Map() } };
  const meters: (WorkMeter | undefined)[] = [];
  const topology = createTopologyReconciler({ callsExtensions: true, classNamespaces: 'any' });
  const observed = {
    ...topology,
    observe: (...given: Parameters<typeof topology.observe>) => {
      meters.push(given[2].meter);
      return topology.observe(...given);
    },
  };
  for (const reconciler of [createClusterClassReconciler({ callsExtensions: true }), observed]) {
    const { name, primary } = reconciler.declaration;
    const key = { managementCluster: 'mc', group: primary.group, kind: primary.kind, namespace: 'c0', name: 'c0' };
    const body = toBody({ v: 1, reconciler: name, key, cause: 'event', attempt: 0, trace: 't' });
    // True: the two have these ports, and the batch knows neither.
    expect(
      await reconcileBatch({ ...aBatchContext(api), reconciler: reconciler as typeof observed, ports }, [
        { messageId: name, body },
      ]),
    ).toEqual([]);
  }
  const ref: ObjectRef = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', namespace: 'c0', name: 'c0' };
  const { what, remedy } = workOfPass;
  const text = JSON.stringify(api.read(ref).status);
  const [, units = '', characters = ''] = new RegExp(
    `limit exceeded: ${what} take more than (\\d+) units of work, the limit for content of (\\d+) characters: ${remedy}`,
  ).exec(text) ?? [text];
  expect(Number(units)).toBe(40_000_000 + 2000 * Number(characters));
  expect(Number(units)).toBeLessThan(60_000_000);
  expect(meters.map(meter => meter?.left)).toEqual([0]);
});
