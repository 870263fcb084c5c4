// The templates of the Machines of a MachineDeployment or a MachineSet. Pure.

import { crdNameOf, type ObjectRef, type Unstructured } from '@capi-serverless/apimachinery';
import type * as z from 'zod/mini';
import { reference, section } from '../api/fields.ts';

const schema = section({
  template: section({
    spec: section({ bootstrap: section({ configRef: reference }), infrastructureRef: reference }),
  }),
});

/** A template in the namespace of the object that references it, in any version. */
export type TemplateReference = z.output<typeof reference>;

/** Returns bootstrap first, then infrastructure. A reference without kind or name is omitted. */
export function templatesOf({ spec }: Pick<Unstructured, 'spec'>): readonly TemplateReference[] {
  const { bootstrap, infrastructureRef } = schema.parse(spec).template.spec;
  return [bootstrap.configRef, infrastructureRef].filter(({ kind, name }) => kind !== '' && name !== '');
}

/**
 * Returns the templates of `own` that none of `users` references. Objects that are being deleted are ignored, because
 * they create no Machines.
 */
export function unusedTemplates(own: Unstructured, users: readonly Unstructured[]): readonly TemplateReference[] {
  const inUse = new Set(users.filter(isAlive).flatMap(templatesOf).map(identityOf));
  return templatesOf(own).filter(template => isTemplate(template) && !inUse.has(identityOf(template)));
}

/**
 * The contract of bootstrap and infrastructure providers requires this name. A user may write any kind to a reference.
 */
function isTemplate({ kind }: TemplateReference): boolean {
  return kind.endsWith('Template');
}

export function definitionOf({ apiGroup, kind }: TemplateReference): ObjectRef {
  const name = crdNameOf({ group: apiGroup, kind });
  return { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', name };
}

export function isAlive({ metadata }: Pick<Unstructured, 'metadata'>): boolean {
  return metadata.deletionTimestamp === undefined;
}

function identityOf({ apiGroup, kind, name }: TemplateReference): string {
  return `${apiGroup}/${kind}/${name}`;
}
