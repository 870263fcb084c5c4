import { describe, expect, it } from 'vitest';
import { parsePlanOptions, toPlanHelp } from '../../../../cli/plan/options.ts';
import { UsageError } from '../../../../local/usage-error.ts';

const running = { reconcilers: ['cluster'], embeddedKubeconfig: '/p/dist/kubeconfig', exists: () => true };
const nothingRuns = { ...running, exists: () => false };

describe('the command line of a plan', () => {
  it.each([
    {
      reason: 'the running local run',
      args: ['cluster', 'default/plain'],
      source: { from: 'server', kubeconfig: '/p/dist/kubeconfig' },
    },
    {
      reason: 'a kubeconfig',
      args: ['--kubeconfig', 'k', 'cluster', 'default/plain'],
      source: { from: 'server', kubeconfig: 'k' },
    },
    {
      reason: 'one file',
      args: ['--files', 'a.yaml', 'cluster', 'default/plain'],
      source: { from: 'files', files: ['a.yaml'], namespace: 'default' },
    },
    {
      reason: 'files that the shell spread out',
      args: ['--files', 'a.yaml', 'b.yaml', 'c.yaml', 'cluster', 'default/plain'],
      source: { from: 'files', files: ['a.yaml', 'b.yaml', 'c.yaml'], namespace: 'default' },
    },
    {
      reason: 'the option given again',
      args: ['--files', 'a.yaml', '--files', 'b.yaml', 'cluster', 'default/plain'],
      source: { from: 'files', files: ['a.yaml', 'b.yaml'], namespace: 'default' },
    },
    {
      reason: 'files over an API server',
      args: ['--kubeconfig', 'k', '--files', 'a.yaml', '-n', 'team', 'cluster', 'default/plain'],
      source: { from: 'both', kubeconfig: 'k', files: ['a.yaml'], namespace: 'team' },
    },
  ])('takes the objects from $reason', ({ args, source }) => {
    expect(parsePlanOptions(args, running)).toEqual({
      reconciler: 'cluster',
      object: { namespace: 'default', name: 'plain' },
      source,
      callHooks: false,
      output: 'text',
      failOn: [],
    });
  });

  it('needs no API server for files', () => {
    expect(parsePlanOptions(['cluster', 'a/b', '--files', 'f', '--json', '--call-hooks'], nothingRuns)).toMatchObject({
      source: { from: 'files', files: ['f'] },
      output: 'json',
      callHooks: true,
    });
  });

  it.each([
    { args: ['cluster', '--files', 'a.yaml'], files: ['a.yaml'] },
    { args: ['cluster', '--files', 'x/a.yaml', 'x/b.yaml', 'x/c.yaml'], files: ['x/a.yaml', 'x/b.yaml', 'x/c.yaml'] },
    { args: ['--json', 'cluster', '--files', 'a.yaml', '--files', 'b.yaml'], files: ['a.yaml', 'b.yaml'] },
  ])('plans every object of the files where none is named: $args', ({ args, files }) => {
    const options = parsePlanOptions(args, nothingRuns);
    expect(options).toMatchObject({ reconciler: 'cluster', source: { from: 'files', files } });
    expect(options).not.toHaveProperty('object');
  });

  it('takes files behind the object that is named', () => {
    expect(parsePlanOptions(['cluster', 'a/b', '--files', 'f', 'g'], nothingRuns)).toMatchObject({
      object: { namespace: 'a', name: 'b' },
      source: { from: 'files', files: ['f', 'g'] },
    });
  });

  it('reads the format of the output, and the changes that fail, in one list or in several', () => {
    const args = ['cluster', 'a/b', '-o', 'markdown', '--fail-on', 'replace, delete', '--fail-on', 'create'];
    expect(parsePlanOptions(args, running)).toMatchObject({
      output: 'markdown',
      failOn: ['replace', 'delete', 'create'],
    });
  });

  it('plans what files concern on an API server where no object is named', () => {
    const options = parsePlanOptions(['cluster', '--files', 'f', 'g', '--kubeconfig', 'k'], nothingRuns);
    expect(options).toMatchObject({ source: { from: 'both', kubeconfig: 'k', files: ['f', 'g'] } });
    expect(options).not.toHaveProperty('object');
  });

  it('prints help before any other check', () => {
    expect(parsePlanOptions(['--help', 'absent'], nothingRuns)).toBe('help');
    expect(toPlanHelp(['cluster'])).toContain('Reconcilers: cluster\n');
  });

  it.each([
    { args: [], problem: 'Expected a reconciler and an object' },
    { args: ['cluster', 'a/b', 'c'], problem: 'Expected a reconciler and an object' },
    { args: ['cluster'], problem: 'Expected a reconciler and an object' },
    { args: ['--files', 'a.yaml', 'a/b'], problem: 'Expected a reconciler and an object' },
    { args: ['machine', 'a/b'], problem: 'There is no reconciler "machine" to plan; known are cluster' },
    { args: ['cluster', 'plain'], problem: '"plain" names no object; write it as NAMESPACE/NAME' },
    { args: ['cluster', 'a/b', '--kubeconfig', ''], problem: '--kubeconfig names no file' },
    { args: ['cluster', 'a/b', '--files', ''], problem: '--files names no file' },
    { args: ['cluster', 'a/b', '-n', 'team'], problem: '-n "team" is for the objects of --files' },
    { args: ['cluster', '--files', 'f', '-n', 'Team'], problem: '-n "Team" names no namespace' },
    { args: ['cluster', 'a/b', '-o', 'yaml'], problem: 'There is no format "yaml"; known are text, json, markdown' },
    { args: ['cluster', 'a/b', '-o', 'markdown', '--json'], problem: '--json cannot go with --output markdown' },
    {
      args: ['cluster', 'a/b', '--fail-on', 'replace,rollout'],
      problem: 'There is no change "rollout" for --fail-on; known are create, change, replace, delete',
    },
    { args: ['cluster', 'a/b', '--fail-on', ''], problem: 'There is no change "" for --fail-on' },
    { args: ['cluster', 'a/b', '--apply'], problem: "Unknown option '--apply'" },
  ])('refuses $args in one line', ({ args, problem }) => {
    const parse = () => parsePlanOptions(args, running);
    expect(parse).toThrow(UsageError);
    expect(parse).toThrow(problem);
  });

  it('names both ways to objects when nothing runs', () => {
    expect(() => parsePlanOptions(['cluster', 'a/b'], nothingRuns)).toThrow(
      'No API server to read from: pass --kubeconfig FILE or --files FILE',
    );
  });
});
