import { describe, expect, it } from 'vitest';
import { defineControlPlaneProvider } from '../../../../packages/provider-sdk/control-plane-provider.ts';
import type { InfrastructureProviderOptions } from '../../../../packages/provider-sdk/index.ts';
import { defineInfrastructureProvider } from '../../../../packages/provider-sdk/infrastructure.ts';

const options: InfrastructureProviderOptions = {
  group: 'infrastructure.example.com',
  version: 'v1beta2',
  kind: 'ExampleCluster',
  contract: 'v1beta2',
  endpoint: 'provided',
  reconcileNormal: async () => ({ ready: true }),
  reconcileDelete: async () => ({ done: true }),
};

describe('The options of a provider', () => {
  it.each([
    { change: { contract: 'v1' }, problem: /ExampleCluster are not valid: contract/ },
    { change: { kind: 'example' }, problem: /kind: must be a kind in PascalCase/ },
    { change: { group: 'Example' }, problem: /group: must be a DNS name/ },
    { change: { name: 'example.cluster' }, problem: /name: must be lower-case letters, digits and hyphens/ },
    { change: { reconcileDelete: undefined }, problem: /reconcileDelete: must be a function/ },
    { change: { finaliser: 'x' }, problem: /finaliser|Unrecognized|Invalid input/ },
    { change: { timeoutSeconds: 0 }, problem: /timeoutSeconds/ },
    { change: { conditions: ['Paused'] }, problem: /conditions: Paused is written by the SDK itself/ },
    { change: { conditions: ['Ready'] }, problem: /conditions: Ready is written by the SDK itself/ },
    { change: { status: ['initialization'] }, problem: /status: initialization is written by the SDK itself/ },
    { change: { status: ['a.b'] }, problem: /status.0: must be the name of a top-level field/ },
  ])('are refused at once: $problem', ({ change, problem }) => {
    const wrong = { ...options, ...change } as InfrastructureProviderOptions; // the options are wrong on purpose
    expect(() => defineInfrastructureProvider(wrong)).toThrow(problem);
  });

  it('reserve Available of a control plane for the SDK', () => {
    const controlPlane = {
      ...options,
      conditions: ['Available'],
      reconcileNormal: async () => ({ initialized: true, available: true }),
    };
    expect(() => defineControlPlaneProvider(controlPlane)).toThrow(/Available is written by the SDK itself/);
  });
});
