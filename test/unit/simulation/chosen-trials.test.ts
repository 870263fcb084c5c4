import { describe, expect, it } from 'vitest';
import { chooseTrials, type Points } from '../../simulation/campaign.ts';

const counted = { workload: 'create', calls: 20, writes: [2, 5, 9], forwarderCalls: [1, 2, 3, 10] };
const faults = ['kill-before', 'kill-after'] as const;

function chosen(selection: Points['chosen'], at: Points['at'] = 'all calls'): readonly string[] {
  return chooseTrials(counted, { faults, chosen: selection, at }).map(({ plan }) =>
    plan.kind === 'call' ? `${plan.fault} ${plan.call}` : plan.kind,
  );
}

describe('the trials of a workload', () => {
  it('are every fault at every call', () => {
    const all = chosen({ every: 1 });
    expect(all).toHaveLength(40);
    expect(all.slice(0, 3)).toEqual(['kill-before 1', 'kill-after 1', 'kill-before 2']);
  });

  it('are every n-th of them', () => {
    expect(chosen({ every: 15 })).toEqual(['kill-before 1', 'kill-after 8', 'kill-before 16']);
  });

  it('are one of them, if there are fewer than n', () => {
    const samples = [0, 1, 2, 3, 100].map(from => chosen({ every: 1000, from }, 'writes'));
    expect(samples.map(sample => sample.length)).toEqual([1, 1, 1, 1, 1]);
    expect(new Set(samples.flat()).size).toBe(5);
  });

  it('are those at writes', () => {
    expect(chosen({ every: 2 }, 'writes')).toEqual(['kill-before 2', 'kill-before 5', 'kill-before 9']);
  });

  it('of a sample begin with another one for each seed, and together are all', () => {
    const samples = [100, 101, 102, 103, 104].map(from => chosen({ every: 5, from }));
    expect(samples.map(sample => sample.length)).toEqual([8, 8, 8, 8, 8]);
    expect(new Set(samples.flat())).toEqual(new Set(chosen({ every: 1 })));
  });

  it('of a sample contain every second one of forwarders, and together with the other samples all calls', () => {
    const isOfForwarder = (trial: string): boolean => counted.forwarderCalls.includes(Number(trial.split(' ')[1]));
    const samples = [100, 101, 102, 103, 104, 105].map(from => chosen({ every: 6, from, ofForwarders: 2 }));
    for (const sample of samples) {
      expect(sample.filter(isOfForwarder)).toHaveLength(counted.forwarderCalls.length);
      expect(sample.length).toBeLessThan(12);
    }
    expect(new Set(samples.flat())).toEqual(new Set(chosen({ every: 1 })));
  });
});
