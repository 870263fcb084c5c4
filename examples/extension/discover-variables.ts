// DiscoverVariables: the variables of a ClusterClass with their schemas, and the functions that read their values.
import { fieldsOf, type Handler, listOf, success } from './protocol.ts';

export const discoverVariables: Handler = {
  name: 'variables',
  hook: 'DiscoverVariables',
  answer: () =>
    success({
      variables: [
        {
          name: 'zones',
          required: false,
          schema: {
            openAPIV3Schema: {
              type: 'array',
              description: 'Zones over which the machines are spread.',
              default: ['zone-a'],
              minItems: 1,
              maxItems: 3,
              items: { type: 'string', enum: ['zone-a', 'zone-b', 'zone-c'] },
            },
          },
        },
        {
          name: 'auditLevel',
          required: false,
          schema: {
            openAPIV3Schema: {
              type: 'string',
              description: 'The audit level of the API server.',
              default: 'Metadata',
              enum: ['None', 'Metadata', 'Request'],
            },
          },
        },
      ],
    }),
};

export interface Values {
  readonly zones: readonly string[];
  readonly auditLevel: string;
}

/** Parses `variables` of a request. A missing variable gets a harmless default. */
export function valuesOf(variables: unknown): Values {
  const values = new Map(
    listOf(variables)
      .map(fieldsOf)
      .map(({ name, value }) => [name, value] as const),
  );
  const auditLevel = values.get('auditLevel');
  return {
    zones: listOf(values.get('zones')).map(String),
    auditLevel: typeof auditLevel === 'string' ? auditLevel : 'Metadata',
  };
}
