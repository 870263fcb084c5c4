import { globSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { declarations } from '../../../functions/declarations.ts';
import { trialsOf } from '../../simulation/campaign.ts';
import { managedWorkloads, workloadNamed, workloads } from '../../simulation/workloads/found.ts';

const found = [...workloads, ...managedWorkloads];

describe('the workloads of the simulation', () => {
  it('are in folders of declared reconcilers, like runs.json', () => {
    const folders = globSync('test/simulation/workloads/*/*').map(file => path.basename(path.dirname(file)));
    const known = declarations.map(({ name }) => name);
    expect([...new Set(folders)].filter(folder => !known.includes(folder))).toEqual([]);
    expect(workloads.length).toBeGreaterThan(10);
    expect(managedWorkloads.length).toBeGreaterThan(5);
  });

  it('have a unique name each', () => {
    expect(found.map(({ name }) => workloadNamed(name))).toEqual(found);
  });

  it('have the same runs when another workload is added', () => {
    const [first, ...others] = found;
    const trialsWithout = [...trialsOf({ kind: 'mixed' }, { seeds: 20, of: others })];
    const trials = [...trialsOf({ kind: 'mixed' }, { seeds: 20, of: found })];
    expect(trials.filter(({ workload }) => workload !== first?.name)).toEqual(trialsWithout);
    expect(trials.length).toBeGreaterThan(trialsWithout.length);
  });

  it('of a campaign have the seeds from 1 on, each of them', () => {
    expect([
      ...trialsOf({ kind: 'audit' }, { seeds: 2, of: [workloadNamed('create'), workloadNamed('scale')] }),
    ]).toEqual(
      [1, 2].flatMap(seed => ['create', 'scale'].map(workload => ({ workload, seed, plan: { kind: 'audit' } }))),
    );
  });

  it('that have no name fail with the names that exist', () => {
    expect(() => workloadNamed('none')).toThrow(/There is no workload "none"; there are .*topology-life/);
  });
});
