// Validates the labels and annotations of variables and their schemas.
import {
  annotationBytes,
  type FieldError,
  invalidValue,
  mostAnnotationBytes,
  problemsOfLabelKey,
  problemsOfLabelValue,
} from '@capi-serverless/apimachinery';
import { sortedEntries } from './json-type.ts';
import type { VariableMetadata, VariableSchema } from './schema.ts';

export function problemsOfMetadata(metadata: VariableMetadata | undefined, field: string): readonly FieldError[] {
  const { labels = {}, annotations = {} } = metadata ?? {};
  return [
    ...problemsOfLabels(labels, `${field}.labels`),
    ...problemsOfAnnotations(annotations, `${field}.annotations`),
  ];
}

type Texts = Readonly<Record<string, string>>;

function problemsOfLabels(labels: Texts, field: string): readonly FieldError[] {
  return sortedEntries(labels).flatMap(([key, value]) => [
    ...problemsOfLabelKey(key).map(problem => invalidValue(field, key, problem)),
    ...problemsOfLabelValue(value).map(problem => invalidValue(field, value, problem)),
  ]);
}

function problemsOfAnnotations(annotations: Texts, field: string): readonly FieldError[] {
  const detail = `may not be more than ${mostAnnotationBytes} bytes`;
  return [
    ...sortedEntries(annotations).flatMap(([key]) =>
      problemsOfLabelKey(key.toLowerCase()).map(problem => invalidValue(field, key, problem)),
    ),
    ...(annotationBytes(annotations) > mostAnnotationBytes ? [{ type: 'Too long', field, detail } as const] : []),
  ];
}

/** The `x-metadata` of a schema and of the schemas of its properties and items. */
export function problemsOfSchemaMetadata(schema: VariableSchema, field: string): readonly FieldError[] {
  const { additionalProperties, properties, items } = schema;
  return [
    ...problemsOfMetadata(schema['x-metadata'], `${field}.x-metadata`),
    ...(additionalProperties === undefined
      ? []
      : problemsOfSchemaMetadata(additionalProperties, `${field}.additionalProperties`)),
    ...sortedEntries(properties).flatMap(([name, below]) =>
      problemsOfSchemaMetadata(below, `${field}.properties[${name}]`),
    ),
    ...(items === undefined ? [] : problemsOfSchemaMetadata(items, `${field}.items`)),
  ];
}
