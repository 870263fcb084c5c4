// Checks templates of a ClusterClass: their structure, and whether the created kind has the fields of the template.
import { toRecord } from '@capi-serverless/apimachinery';
import type { ObjectProblem } from '../findings/finding.ts';
import { compareSchema, type FieldShape, findSchema } from './shapes.ts';

const texts: FieldShape = { type: 'map', values: { type: 'string' } };
const metadata: FieldShape = {
  type: 'object',
  fields: { labels: texts, annotations: texts },
  required: ['labels', 'annotations'],
};

const specPath = 'spec.template.spec';
const metadataPath = 'spec.template.metadata';

/** `at` is the field of the schema. */
export function checkTemplateSchema(schema: unknown, at: string): readonly ObjectProblem[] {
  const spec = findSchema(schema, specPath, at);
  const found = findSchema(schema, metadataPath, at);
  return [
    ...(spec.state === 'missing'
      ? [
          problem(
            spec.field,
            `${specPath} is missing: nothing can be made from the template; add it with the fields of the kind`,
          ),
        ]
      : []),
    ...(spec.state === 'schema'
      ? compareSchema(spec.schema, { type: 'anyObject' }, { field: spec.field, path: specPath })
      : []),
    ...(found.state === 'missing'
      ? [
          problem(
            found.field,
            `${metadataPath} is missing: labels and annotations of what is made from the template are dropped; add it as an object of labels and annotations`,
          ),
        ]
      : []),
    ...(found.state === 'schema'
      ? compareSchema(found.schema, metadata, { field: found.field, path: metadataPath })
      : []),
  ];
}

/** Returns fields of the template that the created kind does not have, or has with another type. */
export function compareWithKind(
  template: { readonly schema: unknown; readonly at: string },
  kind: { readonly schema: unknown; readonly name: string },
): readonly ObjectProblem[] {
  const offered = findSchema(template.schema, specPath, template.at);
  if (offered.state !== 'schema') {
    return [];
  }
  return Object.entries(toRecord(offered.schema['properties'])).flatMap(([name, raw]) => {
    const field = `${offered.field}.properties.${name}`;
    const taken = findSchema(kind.schema, `spec.${name}`, '');
    if (taken.state === 'missing') {
      const message = `${specPath}.${name} would be dropped: ${kind.name} has no spec.${name}; add it there, or take it away here`;
      return [problem(field, message)];
    }
    const [here, there] = [toRecord(raw)['type'], taken.state === 'schema' ? taken.schema['type'] : undefined];
    return here === undefined || there === undefined || here === there
      ? []
      : [
          problem(
            `${field}.type`,
            `${specPath}.${name} is ${String(here)}, but spec.${name} of ${kind.name} is ${String(there)}; give both one type`,
          ),
        ];
  });
}

function problem(field: string, message: string): ObjectProblem {
  return { severity: 'error', field, message };
}
