import { printFieldErrors } from '@capi-serverless/apimachinery';
import { describe, expect, it } from 'vitest';
import { defaultTopologyVariables } from '../../../../shared/topology/default-variables.ts';
import { readClusterTopology } from '../../../../shared/topology/model/cluster-topology.ts';
import { readStatusVariables, type StatusVariable } from '../../../../shared/variables/index.ts';

function definitionsOf(...variables: readonly object[]): readonly StatusVariable[] {
  const read = readStatusVariables(variables);
  if (!read.ok) {
    throw new Error(read.error);
  }
  return read.value;
}

function define(name: string, openAPIV3Schema: object, required = false): object {
  return { name, definitions: [{ from: 'inline', required, schema: { openAPIV3Schema } }] };
}

const disk = {
  type: 'object',
  properties: { size: { type: 'integer', default: 20 }, kind: { type: 'string' } },
};
const definitions = definitionsOf(
  define('disk', disk),
  define('must', { type: 'string' }, true),
  define('region', { type: 'string', default: 'r1' }),
);

function run(raw: object) {
  return defaultTopologyVariables({ topology: readClusterTopology(raw), raw, definitions });
}

const must = { name: 'must', value: 'm' };

describe('variables of a topology', () => {
  it('adds defaulted variables after the existing ones, and changes nothing else', () => {
    const raw = { version: 'v1', variables: [must], workers: { machineDeployments: [{ name: 'md1', class: 'a' }] } };
    const result = run(raw);
    expect(result).toMatchObject({
      topology: { ...raw, variables: [must, { name: 'region', value: 'r1' }] },
      variables: { ok: true, value: { cluster: [must, { name: 'region', value: 'r1' }], controlPlane: [] } },
    });
    expect(result.variables.ok && result.variables.value.machineDeployments).toEqual(new Map([['md1', []]]));
  });

  it('takes a list that is null for none', () => {
    const result = defaultTopologyVariables({
      topology: readClusterTopology({ variables: null }),
      raw: { variables: null },
      definitions: definitionsOf(define('region', { type: 'string', default: 'r1' })),
    });
    expect(result).toMatchObject({
      variables: { ok: true },
      topology: { variables: [{ name: 'region', value: 'r1' }] },
    });
  });

  it('is the very topology where nothing was missing', () => {
    const raw = { variables: [must, { name: 'region', value: 'r2' }] };
    const result = run(raw);
    expect(result.variables.ok && result.topology).toBe(raw);
  });

  it('completes overrides that are there, everywhere, and adds none', () => {
    const overrides = { variables: { overrides: [{ name: 'disk', value: { kind: 'ssd' } }] } };
    const filled = { variables: { overrides: [{ name: 'disk', value: { kind: 'ssd', size: 20 } }] } };
    const raw = {
      variables: [must, { name: 'region', value: 'r2' }],
      controlPlane: { replicas: 3, ...overrides },
      workers: {
        machineDeployments: [
          { name: 'md1', class: 'a' },
          { name: 'md2', class: 'a', ...overrides },
        ],
        machinePools: [{ name: 'mp1', class: 'p', ...overrides }],
      },
    };
    const result = run(raw);
    expect(result.variables.ok && result.topology).toEqual({
      variables: raw.variables,
      controlPlane: { replicas: 3, ...filled },
      workers: {
        machineDeployments: [
          { name: 'md1', class: 'a' },
          { name: 'md2', class: 'a', ...filled },
        ],
        machinePools: [{ name: 'mp1', class: 'p', ...filled }],
      },
    });
    expect(result.variables.ok && result.variables.value.machinePools.get('mp1')).toEqual(filled.variables.overrides);
  });

  it('completes one kind of workers without touching the other', () => {
    const raw = {
      variables: [must, { name: 'region', value: 'r2' }],
      workers: { machinePools: [{ name: 'mp1', class: 'p', variables: { overrides: [{ name: 'disk', value: {} }] } }] },
    };
    const result = run(raw);
    expect(result.variables.ok && result.topology).toMatchObject({
      workers: { machinePools: [{ variables: { overrides: [{ name: 'disk', value: { size: 20 } }] } }] },
    });
    expect(result.variables.ok && Object.keys(Object(Object(result.topology)['workers']))).toEqual(['machinePools']);
  });

  it('keeps the defaults of each list of known variables, even if a value is invalid', () => {
    const unknown = { name: 'none', value: 1 };
    const overrides = (...list: readonly object[]) => ({ variables: { overrides: list } });
    const raw = {
      variables: [{ name: 'disk', value: { kind: 7 } }],
      controlPlane: overrides(unknown, { name: 'disk', value: {} }),
      workers: {
        machineDeployments: [{ name: 'md1', class: 'a', ...overrides({ name: 'disk', value: { kind: 7 } }) }],
      },
    };
    expect(run(raw)).toMatchObject({
      variables: { ok: false },
      topology: {
        variables: [
          { name: 'disk', value: { kind: 7, size: 20 } },
          { name: 'region', value: 'r1' },
        ],
        controlPlane: raw.controlPlane,
        workers: { machineDeployments: [overrides({ name: 'disk', value: { kind: 7, size: 20 } })] },
      },
    });
    const lost = { variables: [must, unknown] };
    expect(run(lost).topology).toBe(lost);
  });

  it.each([
    {
      reason: 'a required variable is missing',
      raw: {},
      error: 'spec.topology.variables: Required value: required variable "must" must be set',
    },
    {
      reason: 'a variable that the class does not define',
      raw: { variables: [must, { name: 'x', value: 1 }] },
      error: 'spec.topology.variables[x]: Invalid value: "1": variable is not defined',
    },
    {
      reason: 'an override of a MachineDeployment that does not fit',
      raw: {
        variables: [must],
        workers: {
          machineDeployments: [{ name: 'md1', class: 'a', variables: { overrides: [{ name: 'region', value: 1 }] } }],
        },
      },
      error:
        /^spec\.topology\.workers\.machineDeployments\[md1\]\.variables\.overrides\[region\]\.value: Invalid value/,
    },
    {
      reason: 'an override of the control plane that does not fit',
      raw: { variables: [must], controlPlane: { variables: { overrides: [{ name: 'region', value: 1 }] } } },
      error: /^spec\.topology\.controlPlane\.variables\.overrides\[region\]\.value: Invalid value/,
    },
    {
      reason: 'an override of a MachinePool that is set twice',
      raw: {
        variables: [must],
        workers: { machinePools: [{ name: 'mp1', class: 'p', variables: { overrides: [must, must] } }] },
      },
      error:
        /^spec\.topology\.workers\.machinePools\[mp1\]\.variables\.overrides\[must\]: Invalid value: .*variable "must" is set more than once/,
    },
    { reason: 'a list that is none', raw: { variables: 'x' }, error: /^spec\.topology\.variables: Invalid value/ },
  ])('refuses it: $reason', ({ raw, error }) => {
    const result = run(raw);
    const reported = result.variables.ok ? 'nothing' : printFieldErrors(result.variables.error);
    if (typeof error === 'string') {
      expect(reported).toBe(error);
    } else {
      expect(reported).toMatch(error);
    }
  });
});
