// Admission of the variables of a new Cluster.
import { describe, expect, it } from 'vitest';
import { aClass, classSpec, judge, machines, managed, reported } from './admission-cluster.ts';

describe('variables of a new Cluster', () => {
  const define = (name: string, openAPIV3Schema: object, required = false): object => ({
    name,
    definitions: [{ from: 'inline', required, schema: { openAPIV3Schema } }],
  });
  const classes = [
    aClass(
      { controlPlane: { ...classSpec.controlPlane, machineInfrastructure: machines } },
      {
        variables: [define('size', { type: 'string', default: 'small' }), define('must', { type: 'integer' }, true)],
      },
    ),
  ];

  it('get their defaults', () => {
    expect(judge(managed({ variables: [{ name: 'must', value: 1 }] }), { classes })).toMatchObject({
      admitted: true,
      cluster: {
        spec: {
          topology: {
            variables: [
              { name: 'must', value: 1 },
              { name: 'size', value: 'small' },
            ],
          },
        },
      },
    });
  });

  it('are refused before any other check', () => {
    const cluster = managed({ version: 'x', variables: [{ name: 'other', value: 1 }] });
    expect(judge(cluster, { classes })).toMatchObject({ admitted: false, by: 'default', warnings: [] });
    // Upstream also checks them twice and prints duplicates once.
    const unknown = 'spec.topology.variables[other]: Invalid value: "1": variable is not defined';
    expect(reported(cluster, { classes })).toEqual([
      unknown,
      'spec.topology.variables: Required value: required variable "must" must be set',
      unknown,
    ]);
  });
});
