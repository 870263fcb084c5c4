import { describe, expect, it } from 'vitest';
import { olderSchema } from '../../../../shared/conversion/older-schema.ts';

const text = { type: 'string', description: 'A text.' };

const stored = {
  type: 'object',
  description: 'A cluster.',
  properties: {
    spec: {
      type: 'object',
      properties: {
        topology: {
          type: 'object',
          properties: {
            classRef: { type: 'object', description: 'The class.', properties: { name: text } },
            workers: {
              type: 'object',
              properties: {
                machineDeployments: {
                  type: 'array',
                  description: 'Deployments.',
                  items: {
                    type: 'object',
                    description: 'One deployment.',
                    properties: {
                      class: { ...text, description: 'Its class.' },
                      deletion: {
                        type: 'object',
                        properties: { nodeDrainTimeoutSeconds: { type: 'integer', description: 'Seconds.' } },
                      },
                      metadata: {
                        type: 'object',
                        properties: {
                          labels: { type: 'object', additionalProperties: { ...text, description: 'A label.' } },
                        },
                      },
                    },
                  },
                },
              },
            },
          },
        },
      },
    },
  },
};

const older = {
  type: 'object',
  description: 'A cluster.',
  properties: {
    metadata: { type: 'object' },
    spec: {
      properties: {
        paused: { type: 'boolean' },
        clusterNetwork: { properties: { apiServerPort: { type: 'integer' } } },
        topology: {
          type: 'object',
          properties: {
            class: text,
            rolloutAfter: { type: 'string', format: 'date-time' },
            workers: {
              properties: {
                machineDeployments: {
                  type: 'array',
                  description: 'Deployments.',
                  items: {
                    description: 'One deployment.',
                    properties: {
                      class: { type: 'string', description: 'Its class.' },
                      nodeDrainTimeout: { type: 'string' },
                      metadata: {
                        properties: {
                          labels: { additionalProperties: { type: 'string', description: 'A label.' } },
                        },
                      },
                    },
                  },
                },
              },
            },
          },
        },
      },
    },
  },
};

describe('the schema of an older version', () => {
  it('has the fields of that version, with the descriptions of the fields that they become', () => {
    const schema = olderSchema({ apiVersion: 'cluster.x-k8s.io/v1beta1', kind: 'Cluster' }, stored);
    expect(schema).toMatchObject(older);
    expect(JSON.stringify(schema)).not.toContain('Seconds.');
    expect(JSON.stringify(schema)).not.toContain('classRef');
  });

  it('ends where a type contains itself', () => {
    const schema = olderSchema({ apiVersion: 'cluster.x-k8s.io/v1beta1', kind: 'ClusterClass' }, undefined);
    expect(schema).toMatchObject({
      properties: {
        spec: {
          properties: {
            variables: {
              items: {
                properties: {
                  schema: {
                    properties: {
                      openAPIV3Schema: {
                        properties: {
                          default: { 'x-kubernetes-preserve-unknown-fields': true },
                          properties: {
                            type: 'object',
                            additionalProperties: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                          },
                        },
                      },
                    },
                  },
                },
              },
            },
          },
        },
      },
    });
  });
});
