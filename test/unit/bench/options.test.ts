import { describe, expect, test } from 'vitest';
import { parseOptions } from '../../../bench/options.ts';
import { UsageError } from '../../../local/usage-error.ts';

describe('the command line of the bench', () => {
  test.each([
    {
      reason: 'all sections by default',
      args: [],
      sections: [
        'plain',
        'machines',
        'rollout',
        'clusters',
        'cold-start',
        'lambda',
        'apiserver',
        'latency',
        'memory',
        'node-watches',
        'topology-patches',
        'commands',
        'units',
        'webhooks',
        'page',
      ],
    },
    { reason: 'one, when named', args: ['cold-start'], sections: ['cold-start'] },
    { reason: 'in the order given', args: ['cold-start', '--quick', 'plain'], sections: ['cold-start', 'plain'] },
  ])('measures $sections: $reason', ({ args, sections }) => {
    expect(parseOptions(args)).toMatchObject({ sections });
  });

  test('selects the table format and full runs by default', () => {
    expect(parseOptions([])).toMatchObject({ json: false, quick: false });
    expect(parseOptions(['--json', '--quick'])).toMatchObject({ json: true, quick: true });
  });

  test('accepts --help', () => {
    expect(parseOptions(['--help', 'nonsense'])).toBe('help');
  });

  test.each([
    { reason: 'a section that is not there', args: ['plan'], message: 'Unknown section: plan' },
    { reason: 'an option that is not there', args: ['--fast'], message: '--fast' },
  ])('rejects $reason', ({ args, message }) => {
    expect(() => parseOptions(args)).toThrow(UsageError);
    expect(() => parseOptions(args)).toThrow(message);
  });
});
