// Objects that are created from the template of a provider, for a Machine. Pure.
import {
  groupOf,
  type Intent,
  isJsonObject,
  type OwnerReference,
  toRecord,
  type Unstructured,
  valueAt,
} from '@capi-serverless/apimachinery';
import { clonedFromGroupKindAnnotation, clonedFromNameAnnotation } from '../topology/model/keys.ts';

type Texts = Readonly<Record<string, string>>;

interface FromTemplate {
  readonly name: string;
  readonly namespace: string;
  /** Added to those of the template. */
  readonly labels: Texts;
  readonly annotations: Texts;
  readonly owner: OwnerReference;
}

/** Returns the content of `spec.template` as a new object. Its annotations contain the template. */
export function objectFromTemplate(
  template: Unstructured,
  { name, namespace, labels, annotations, owner }: FromTemplate,
): Intent {
  const copy = toRecord(valueAt(template.spec, 'template'));
  const { resourceVersion: _v, uid: _u, selfLink: _s, finalizers: _f, ...metadata } = toRecord(copy['metadata']);
  return {
    ...copy,
    apiVersion: textOr(copy['apiVersion'], template.apiVersion),
    kind: textOr(copy['kind'], template.kind.replace(/Template$/, '')),
    metadata: {
      ...metadata,
      name,
      namespace,
      labels: { ...texts(metadata['labels']), ...labels },
      annotations: {
        ...texts(metadata['annotations']),
        ...annotations,
        [clonedFromNameAnnotation]: template.metadata.name,
        [clonedFromGroupKindAnnotation]: [template.kind, groupOf(template.apiVersion)]
          .filter(part => part !== '')
          .join('.'),
      },
      ownerReferences: [owner],
    },
  };
}

function textOr(value: unknown, byDefault: string): string {
  return typeof value === 'string' && value !== '' ? value : byDefault;
}

function texts(value: unknown): Texts {
  return isJsonObject(value)
    ? Object.fromEntries(
        Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
      )
    : {};
}
