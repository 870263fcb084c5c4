// The figures in README.md and docs/costs.md are those of the estimate.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { toEstimate } from '../../../../cli/cost/estimate.ts';
import { toUsd } from '../../../../cli/cost/print.ts';
import { toShape } from '../../../../cli/cost/shape.ts';
import { declarations } from '../../../../functions/declarations.ts';
import { defaultFeatureGates, ofGates } from '../../../../packages/cluster-api/feature-gates.ts';

const leanQuestion = { clusters: 10, changesPerDay: 50, lean: true };
const byDefault = toShape(ofGates(declarations, defaultFeatureGates));

describe('the documents', () => {
  /** The deployments of the README and the lowest price, by options of the command. */
  const documented = [{ lean: false }, { lean: false, windowed: true, eks: true }, { lean: true }] as const;
  const root = path.resolve(import.meta.dirname, '../../../..');
  const costs = readFileSync(path.join(root, 'docs/costs.md'), 'utf8');
  const readme = readFileSync(path.join(root, 'README.md'), 'utf8');

  it('reports the number of Clusters from which the default costs more than 6 USD idle', () => {
    const [, text = ''] = /above ([\d,]+) Clusters the default passes 6 USD/.exec(costs) ?? [];
    const said = Number(text.replaceAll(',', ''));
    const idleOf = (clusters: number): number =>
      toEstimate({ clusters, changesPerDay: 0, lean: false }, byDefault).total.idle;
    expect(idleOf(said - 10)).toBeLessThan(6);
    expect(idleOf(said + 10)).toBeGreaterThan(6);
  });

  it('reports the number of Clusters from which lean costs more than 2 USD idle with all feature gates', () => {
    const [, ...texts] =
      /Lean stays below 2 USD up to ([\d,]+) Clusters with topology, and on EKS up to ([\d,]+)/.exec(costs) ?? [];
    expect(texts).toHaveLength(2);
    for (const [at, text] of texts.entries()) {
      const said = Number(text.replaceAll(',', ''));
      const idleOf = (clusters: number): number =>
        toEstimate({ clusters, changesPerDay: 0, lean: true, eks: at === 1 }, toShape(declarations)).total.idle;
      expect(idleOf(said - 20)).toBeLessThan(2);
      expect(idleOf(said + 20)).toBeGreaterThan(2);
    }
  });

  it('reports the parts of lean with 1,000 idle Clusters', () => {
    const lean = toEstimate({ clusters: 1000, changesPerDay: 0, lean: true }, toShape(declarations));
    const [pollers, secret] = [/empty receives/, /secret$/].map(pattern =>
      toUsd(lean.rows.filter(({ name }) => pattern.test(name)).reduce((sum, { idle }) => sum + idle, 0)),
    );
    expect(costs).toContain(
      `1,000 cost ${toUsd(lean.total.idle)}: ${toUsd(lean.resync.usd)} for the resync, ${pollers} for the pollers of queues, ${secret} for the secret`,
    );
  });

  it('shows the same estimate as the tool', () => {
    const columns = documented.map(flags => toEstimate({ clusters: 10, changesPerDay: 50, ...flags }, byDefault));
    const sums = columns.flatMap(({ total }) => [total.idle, total.busy]);
    const rows = (columns[0]?.rows ?? []).map(({ name }, at) => ({
      name,
      cells: columns.flatMap(column => [column.rows[at]?.idle ?? 0, column.rows[at]?.busy ?? 0]),
    }));
    const lines = [...rows, { name: '**sum**', cells: sums }].map(
      ({ name, cells }) => `| ${name} | ${cells.map(toUsd).join(' | ')} |`,
    );
    const table = costs.split(/<!-- cost: .* -->\n|<!-- end of cost -->/)[1];
    const head = [
      '| USD a month | default, idle | busy | README on EKS, idle | busy | lean, idle | busy |',
      '|---|---:|---:|---:|---:|---:|---:|',
    ];
    expect(table).toBe([...head, ...lines, ''].join('\n'));
  });

  it('reports the sums of other deployments and what is not in the sum', () => {
    const all = toShape(declarations);
    const idleOf = (flags: object, of = all): string =>
      toUsd(toEstimate({ clusters: 10, changesPerDay: 50, lean: false, ...flags }, of).total.idle);
    const { extras, resync } = toEstimate({ clusters: 10, changesPerDay: 50, lean: false }, byDefault);
    const [endpoints, nat, audit] = extras.map(({ usd }) => toUsd(usd));
    const windowedAudit = toEstimate({ clusters: 10, changesPerDay: 50, lean: true, eks: true }, byDefault).extras[2];
    for (const text of [
      `the sum is ${idleOf({})} by default, ${idleOf({ windowed: true, eks: true })} for the deployment of the README and ${idleOf({ lean: true })} lean`,
      `On EKS, lean is ${idleOf({ lean: true, eks: true })}`,
      `VPC interface endpoints, ${endpoints}:`,
      `A NAT gateway, ${nat} per zone:`,
      `With 2 KB per event, the ${Math.round(resync.apiRequests).toLocaleString('en-US')} requests of the default are ${audit}, and with the windowed forwarder ${toUsd(windowedAudit?.usd ?? 0)}`,
    ]) {
      expect(costs).toContain(text);
    }
  });

  it('the README has the same figures', () => {
    const [, short = ''] = /<!-- cost in short: .* -->\n([\s\S]*?)\n## /.exec(readme) ?? [];
    const busyOf = (clusters: number, flags: (typeof documented)[number]): number =>
      toEstimate({ clusters, changesPerDay: 50, ...flags }, byDefault).total.busy;
    const { manager } = toEstimate({ clusters: 10, changesPerDay: 50, lean: false }, byDefault);
    const idleOfAllGates = toEstimate(leanQuestion, toShape(declarations)).total.idle;
    const [perThousand] = documented.map(flags => toUsd(busyOf(1010, flags) - busyOf(10, flags)));
    expect([...short.matchAll(/\d+\.\d\d/g)].map(([amount]) => amount)).toEqual([
      ...documented.map(flags => toUsd(busyOf(10, flags))),
      toUsd(idleOfAllGates),
      perThousand,
      ...[toUsd(manager.ownNodeUsd), toUsd(manager.shareUsd)],
    ]);
  });
});
