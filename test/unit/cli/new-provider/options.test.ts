import { describe, expect, it } from 'vitest';
import { newProviderHelp, parseNewProviderOptions, toKind } from '../../../../cli/new-provider/options.ts';
import { UsageError } from '../../../../local/usage-error.ts';

describe('the command line of new-provider', () => {
  it.each([
    {
      args: ['rack'],
      options: { name: 'rack', group: 'infrastructure.cluster.x-k8s.io', folder: 'rack-provider', json: false },
      kind: 'RackCluster',
    },
    {
      args: ['metal-rack2', '--folder', '../metal/', '--group', 'metal.example.com', '--json'],
      options: { name: 'metal-rack2', group: 'metal.example.com', folder: '../metal', json: true },
      kind: 'MetalRack2Cluster',
    },
    {
      args: ['ab', '--folder', '/'],
      options: { name: 'ab', group: 'infrastructure.cluster.x-k8s.io', folder: '/', json: false },
      kind: 'AbCluster',
    },
  ])('takes $args', ({ args, options, kind }) => {
    expect(parseNewProviderOptions(args)).toEqual(options);
    expect(toKind(options.name)).toBe(kind);
  });

  it('requests help', () => {
    expect(parseNewProviderOptions(['--help'])).toBe('help');
    expect(newProviderHelp).toContain('--folder');
  });

  it.each([
    { name: 'RackCluster', reason: 'a name consists of words of lower-case letters', remedy: 'write rack' },
    { name: 'metal_rack', reason: 'a name consists of words of lower-case letters', remedy: 'write metal-rack' },
    { name: 'MetalRack', reason: 'a name consists of words of lower-case letters', remedy: 'write metal-rack' },
    { name: '2rack', reason: 'it starts with a letter', remedy: 'write rack' },
    { name: 'rack-', reason: 'a name consists of words of lower-case letters', remedy: 'write rack' },
    { name: '../rack', reason: 'a name consists of words of lower-case letters', remedy: 'write rack' },
    { name: '', reason: 'a name consists of words of lower-case letters', remedy: 'write a word such as rack' },
    { name: 'ü', reason: 'a name consists of words of lower-case letters', remedy: 'write a word such as rack' },
    { name: 'rack-cluster', reason: 'the ending is added', remedy: 'write rack' },
    { name: 'rack-provider', reason: 'the ending is added', remedy: 'write rack' },
    { name: 'cluster', reason: 'the ending is added', remedy: 'write a word such as rack' },
    { name: 'r', reason: 'it has 1 characters', remedy: 'write 2 to 20' },
    { name: 'a-name-that-is-very-long', reason: 'it has 24 characters', remedy: 'write 2 to 20' },
    { name: 'simulated', reason: 'SimulatedCluster is a kind of the simulated provider', remedy: 'choose another' },
    { name: 'simulated-legacy', reason: 'SimulatedLegacyCluster is a kind', remedy: 'choose another' },
  ])('refuses the name "$name" and suggests a valid one', ({ name, reason, remedy }) => {
    const parse = () => parseNewProviderOptions([name]);
    expect(parse).toThrow(UsageError);
    expect(parse).toThrow(`"${name}" cannot name a provider: `);
    expect(parse).toThrow(reason);
    expect(parse).toThrow(remedy);
  });

  it.each([
    { args: [], reason: 'Give the provider one NAME: capi-serverless new-provider NAME' },
    { args: ['a1', 'b1'], reason: 'Give the provider one NAME' },
    { args: ['rack', '--folder', ''], reason: '--folder names no folder' },
    { args: ['rack', '--group', 'rack'], reason: '--group "rack" is not an API group; write a domain that you own' },
    { args: ['rack', '--group', 'Rack.example.com'], reason: 'is not an API group' },
    { args: ['rack', '--group', 'rack.k8s.io'], reason: '--group rack.k8s.io belongs to Kubernetes' },
    { args: ['rack', '--group', 'cluster.x-k8s.io'], reason: 'belongs to Kubernetes' },
    { args: ['rack', '--colour'], reason: "Unknown option '--colour'; --help lists the options" },
  ])('refuses $args', ({ args, reason }) => {
    expect(() => parseNewProviderOptions(args)).toThrow(UsageError);
    expect(() => parseNewProviderOptions(args)).toThrow(reason);
  });
});
