// `capi-serverless cost --deployments`: the deployments of a file, priced by their templates.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { costCommand } from '../../cli/cost/command.ts';
import type { Estimate } from '../../cli/cost/estimate.ts';
import { usdOf } from '../../infra/prices.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'capi-cost-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function cost(...args: readonly string[]): Promise<string> {
  const printed: string[] = [];
  expect(await costCommand.run(args, text => printed.push(text))).toBe(0);
  return printed.join('');
}

async function estimate(...args: readonly string[]) {
  return JSON.parse(await cost(...args, '--json'));
}

function write(name: string, value: unknown): string {
  const file = path.join(folder, name);
  writeFileSync(file, JSON.stringify(value));
  return file;
}

const pods = { kind: 'pod-identity', cluster: 'mgmt' };
const lean = {
  name: 'capi-lean',
  sources: { windowed: true },
  resyncPeriodMinutes: 60,
  plumbing: 'uncapped',
  layout: 'compact',
  monitoring: { alarms: 'errors' },
};
const rowOf = ({ rows }: Estimate, name: string): number => rows.find(row => row.name === name)?.idle ?? Number.NaN;

describe('the estimate of a deployment', () => {
  it('is that of the profile with the same settings', async () => {
    const usual = { name: 'capi-usual', sources: { forwarder: pods } };
    const file = write('profiles.json', [usual, { ...lean, region: 'eu-central-1' }]);
    const { deployments } = await estimate('--deployments', file);
    for (const [index, args] of [[], ['--lean']].entries()) {
      const { profile, prices: _, ...profiled } = await estimate(...args);
      const { profile: deployed, ...rest } = deployments[index];
      expect(rest).toEqual(profiled);
      expect(deployed).toMatchObject({ windowed: profile.windowed, layout: profile.layout });
    }
  });

  it('has what the template has more: keys of webhooks, alarms of every function, and a full dashboard', async () => {
    const more = {
      ...{ name: 'capi-more', region: 'eu-west-1', sources: { windowed: true } },
      admission: {},
      monitoring: { alarms: 'all', dashboard: 'full' },
    };
    const plain = { ...more, name: 'capi-less', region: 'eu-west-2', admission: undefined, monitoring: {} };
    const { deployments } = await estimate('--deployments', write('more.json', [more, plain]));
    const [full, less] = deployments;
    expect(rowOf(full, 'Secrets Manager, secret')).toBeCloseTo(
      rowOf(less, 'Secrets Manager, secret') + usdOf.secretMonth,
    );
    expect(rowOf(full, 'CloudWatch alarms')).toBeGreaterThan(rowOf(less, 'CloudWatch alarms') + 2);
    expect(rowOf(full, 'CloudWatch dashboards')).toBe(usdOf.dashboardMonth);
    expect(rowOf(less, 'CloudWatch dashboards')).toBe(0);
    expect(full.extras.at(-2)).toMatchObject({ name: 'Admission webhooks', usd: 0 });
    expect(less.extras.at(-2).usd).toBeGreaterThan(0);
  });

  it('is printed one after the other, with the number of Clusters and changes', async () => {
    const bare = { name: 'capi-bare', region: 'eu-north-1' };
    const text = await cost('--deployments', write('two.json', [lean, bare]), '--clusters', '3');
    expect(text).toContain('capi-lean: windowed forwarder, resync every 60 min, one work queue\n3 Clusters');
    expect(text).toContain(
      'capi-bare: no forwarder, resync every 10 min, a work queue for each reconciler\n3 Clusters',
    );
    expect(text.match(/An always-on manager/g)).toHaveLength(2);
  });
});

it.each([
  { content: [{ name: 'x' }], problem: 'Deployment x: name' },
  { content: {}, problem: 'Deployments must be a list of at least one deployment' },
])('a file is refused with one line: $problem', async ({ content, problem }) => {
  const file = write('wrong.json', content);
  await expect(cost('--deployments', file)).rejects.toMatchObject({
    name: 'UsageError',
    message: expect.stringContaining(problem),
  });
});

it('a file that cannot be read is refused', async () => {
  await expect(cost('--deployments', path.join(folder, 'none.yaml'))).rejects.toMatchObject({
    name: 'UsageError',
    message: expect.stringContaining('cannot be read'),
  });
});
