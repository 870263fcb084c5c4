import { expect, it } from 'vitest';
import { templatesOf, unusedTemplates } from '../../../../shared/template-cleanup/unused-templates.ts';
import { anOwnedDeployment, anOwnedSet } from '../../../support/topology-workers.ts';

const boot = { apiGroup: 'bootstrap.example.com', kind: 'BootTemplate', name: 't1' };
const infra = { apiGroup: 'infra.example.com', kind: 'InfraTemplate', name: 't1' };

const md = anOwnedDeployment();
const set = anOwnedSet('ms1', md, 'md1');

function naming(of: typeof set, configRef: unknown, infrastructureRef: unknown) {
  return of.withSpec({ template: { spec: { bootstrap: { configRef }, infrastructureRef } } });
}

it.each([
  { configRef: boot, infrastructureRef: infra, templates: [boot, infra], reason: 'bootstrap first' },
  { configRef: undefined, infrastructureRef: infra, templates: [infra], reason: 'no bootstrap template' },
  { configRef: { ...boot, name: '' }, infrastructureRef: infra, templates: [infra], reason: 'no name' },
  { configRef: { ...boot, kind: '' }, infrastructureRef: infra, templates: [infra], reason: 'no kind' },
  { configRef: boot, infrastructureRef: 'none', templates: [boot], reason: 'not a reference' },
  {
    configRef: { ...boot, name: 1 },
    infrastructureRef: infra,
    templates: [infra],
    reason: 'a name that is not a string',
  },
])('lists the templates that an object names: $reason', ({ configRef, infrastructureRef, templates }) => {
  expect(templatesOf(naming(set, configRef, infrastructureRef).build())).toEqual(templates);
});

it.each([
  { user: naming(set, boot, infra), unused: [], reason: 'both' },
  { user: naming(set, boot, undefined), unused: [infra], reason: 'one of them' },
  { user: naming(set, { ...boot, name: 't2' }, infra), unused: [boot], reason: 'another name' },
  { user: naming(set, { ...boot, kind: 'OtherTemplate' }, infra), unused: [boot], reason: 'another kind' },
  { user: naming(set, { ...boot, apiGroup: 'other.example.com' }, infra), unused: [boot], reason: 'another group' },
  { user: naming(set, infra, boot), unused: [], reason: 'in the other role' },
  {
    user: naming(set, boot, infra).withFinalizers('example.com/theirs').deleting(),
    unused: [boot, infra],
    reason: 'both, but it is being deleted',
  },
])('keeps templates that another object uses: $reason', ({ user, unused }) => {
  expect(unusedTemplates(naming(md, boot, infra).build(), [user.build()])).toEqual(unused);
});
