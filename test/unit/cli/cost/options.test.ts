import { describe, expect, it } from 'vitest';
import { toEstimate } from '../../../../cli/cost/estimate.ts';
import { parseCostOptions } from '../../../../cli/cost/options.ts';
import { toText } from '../../../../cli/cost/print.ts';
import { defaultFeatureGates } from '../../../../packages/cluster-api/feature-gates.ts';

describe('the command line', () => {
  it.each([
    {
      args: [],
      options: { clusters: 10, changesPerDay: 50, lean: false, json: false, gates: defaultFeatureGates },
      reason: 'defaults',
    },
    {
      args: ['--clusters', '0', '--changes-per-day', '7', '--lean', '--json', '--feature-gates', 'RuntimeSDK=true'],
      options: {
        clusters: 0,
        changesPerDay: 7,
        lean: true,
        json: true,
        gates: { ...defaultFeatureGates, RuntimeSDK: true },
      },
      reason: 'everything given',
    },
    { args: ['--help'], options: 'help', reason: 'help' },
  ])('is read: $reason', ({ args, options }) => {
    expect(parseCostOptions(args)).toEqual(options);
  });

  it.each([
    { args: ['--clusters', '1.5'], problem: '--clusters "1.5" is no whole number from 0 to 100000' },
    { args: ['--clusters=-1'], problem: '--clusters "-1" is no whole number from 0 to 100000' },
    { args: ['--clusters', '100001'], problem: '--clusters "100001" is no whole number from 0 to 100000' },
    { args: ['--changes-per-day', ''], problem: '--changes-per-day "" is no whole number from 0 to 10000000' },
    { args: ['--feature-gates', 'RuntimeSDK=yes'], problem: '--feature-gates: RuntimeSDK must be true or false' },
    { args: ['--cheap'], problem: "Unknown option '--cheap'; --help lists the options" },
  ])('is refused in one line: $args', ({ args, problem }) => {
    expect(() => parseCostOptions(args)).toThrow(expect.objectContaining({ name: 'UsageError', message: problem }));
  });
});

describe('the text', () => {
  const shape = {
    workQueues: 1,
    standardQueues: 2,
    reconcilersPerCluster: 1,
    targetsPerCluster: 1,
    listedKinds: 6,
    kindsPerCluster: 5,
  };

  it.each([
    { lean: false, head: 'default: watch-forwarder, resync every 10 min' },
    { lean: true, head: 'lean: windowed forwarder, resync every 60 min' },
  ])('prints its subject, and that prices are unchecked: $head', ({ lean, head }) => {
    const text = toText(toEstimate({ clusters: 1000, changesPerDay: 50, lean }, shape));
    expect(text).toContain(head);
    expect(text).toContain('1,000 Clusters');
    expect(text).toContain('Not in the sum: VPC interface endpoints 28.80');
    expect(text).toContain('not checked against the pages of AWS');
  });
});
