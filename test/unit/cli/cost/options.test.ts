import { defaultFeatureGates } from '@capi-serverless/cluster-api/feature-gates';
import { describe, expect, it } from 'vitest';
import { toEstimate } from '../../../../cli/cost/estimate.ts';
import { parseCostOptions } from '../../../../cli/cost/options.ts';
import { toText } from '../../../../cli/cost/print.ts';

describe('the command line', () => {
  it.each([
    {
      args: [],
      options: {
        clusters: 10,
        changesPerDay: 50,
        lean: false,
        windowed: false,
        eks: false,
        layout: undefined,
        deployments: undefined,
        json: false,
        gates: defaultFeatureGates,
      },
      reason: 'defaults',
    },
    {
      args: [
        '--clusters',
        '0',
        '--changes-per-day',
        '7',
        '--lean',
        '--windowed',
        '--eks',
        '--layout',
        'compact',
        '--json',
        '--feature-gates',
        'RuntimeSDK=true',
      ],
      options: {
        clusters: 0,
        changesPerDay: 7,
        lean: true,
        windowed: true,
        eks: true,
        layout: 'compact',
        deployments: undefined,
        json: true,
        gates: { ...defaultFeatureGates, RuntimeSDK: true },
      },
      reason: 'everything given',
    },
    {
      args: ['--deployments', 'mine.yaml', '--clusters', '3'],
      options: {
        clusters: 3,
        changesPerDay: 50,
        lean: false,
        windowed: false,
        eks: false,
        layout: undefined,
        deployments: 'mine.yaml',
        json: false,
        gates: defaultFeatureGates,
      },
      reason: 'deployments',
    },
    { args: ['--help'], options: 'help', reason: 'help' },
  ])('is read: $reason', ({ args, options }) => {
    expect(parseCostOptions(args)).toEqual(options);
  });

  it.each([
    { args: ['--clusters', '1.5'], problem: '--clusters "1.5" is not a whole number from 0 to 100000' },
    { args: ['--clusters=-1'], problem: '--clusters "-1" is not a whole number from 0 to 100000' },
    { args: ['--clusters', '100001'], problem: '--clusters "100001" is not a whole number from 0 to 100000' },
    { args: ['--changes-per-day', ''], problem: '--changes-per-day "" is not a whole number from 0 to 10000000' },
    { args: ['--feature-gates', 'RuntimeSDK=yes'], problem: '--feature-gates: RuntimeSDK must be true or false' },
    { args: ['--layout', 'lean'], problem: '--layout must be per-kind or compact, got "lean"' },
    {
      args: ['--lean', '--layout', 'per-kind'],
      problem: '--lean has the layout compact, so it cannot go with --layout per-kind',
    },
    { args: ['--deployments', 'f', '--eks'], problem: '--deployments cannot go with --eks: the file says it' },
    {
      args: ['--deployments', 'f', '--feature-gates', 'RuntimeSDK=true'],
      problem: '--deployments cannot go with --feature-gates: the file says it',
    },
    { args: ['--cheap'], problem: "Unknown option '--cheap'; --help lists the options" },
  ])('is refused in one line: $args', ({ args, problem }) => {
    expect(() => parseCostOptions(args)).toThrow(expect.objectContaining({ name: 'UsageError', message: problem }));
  });
});

describe('the text', () => {
  const shape = {
    reconcilers: 1,
    standardQueues: 2,
    reconcilersPerCluster: 1,
    targetsPerCluster: 1,
    listedKinds: 6,
    kindsPerCluster: 5,
  };

  it.each([
    {
      given: { lean: false },
      head: 'default: watch-forwarder, resync every 10 min, a work queue for each reconciler\n',
    },
    { given: { lean: true }, head: 'lean: windowed forwarder, resync every 60 min, one work queue\n' },
    {
      given: { lean: false, windowed: true, eks: true },
      head: 'default: windowed forwarder, resync every 10 min, a work queue for each reconciler, EKS\n',
    },
  ])('prints its subject, and that prices are unchecked: $head', ({ given, head }) => {
    const text = toText(toEstimate({ clusters: 1000, changesPerDay: 50, ...given }, shape));
    expect(text).toContain(head);
    expect(text).toContain('1,000 Clusters');
    expect(text).toContain('  VPC interface endpoints 28.80 (2 services × 2 zones × 720 h × 0.01');
    expect(text).toMatch(/ {2}NAT gateway 3[23]\.\d\d \(720 h × 0\.045 for each zone/);
    expect(text).toContain('  Audit log of EKS ');
    expect(text).toContain('not checked against the pages of AWS');
  });
});
