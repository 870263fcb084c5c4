// Which templates a MachineDeployment or a MachineSet makes its Machines from. Pure.
import type * as z from 'zod/mini';
import { section, textOrEmpty } from '../api/fields.ts';
import type { ObjectRef, Unstructured } from '../api/object.ts';
import { crdNameOf } from '../names/plural.ts';

const reference = section({ apiGroup: textOrEmpty, kind: textOrEmpty, name: textOrEmpty });

const schema = section({
  template: section({
    spec: section({ bootstrap: section({ configRef: reference }), infrastructureRef: reference }),
  }),
});

/** A template in the namespace of who names it, in whichever version. */
export type TemplateReference = z.output<typeof reference>;

/** Bootstrap first, then infrastructure; what is not named is left out. */
export function templatesOf({ spec }: Pick<Unstructured, 'spec'>): readonly TemplateReference[] {
  const { bootstrap, infrastructureRef } = schema.parse(spec).template.spec;
  return [bootstrap.configRef, infrastructureRef].filter(({ kind, name }) => kind !== '' && name !== '');
}

/** The templates of `own` that none of `users` is made from. An object that is being deleted makes nothing any more. */
export function unusedTemplates(own: Unstructured, users: readonly Unstructured[]): readonly TemplateReference[] {
  const inUse = new Set(users.filter(isAlive).flatMap(templatesOf).map(identityOf));
  return templatesOf(own).filter(template => !inUse.has(identityOf(template)));
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
