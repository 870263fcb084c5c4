// The rules of ClusterResourceSets and ClusterResourceSetBindings.
import {
  type FieldError,
  invalidValue,
  sameJson,
  toPrintedSelector,
  valid,
  valueAt,
} from '@capi-serverless/apimachinery';
import { setAt } from '@capi-serverless/cluster-api/contract';
import { hasNoRequirement, problemsOfSelector } from './checks.ts';
import { type CheckedWrite, invalidUnlessEmpty, type KindRules } from './kind-rules.ts';
import { selectorAt, textAt } from './object-fields.ts';

const group = 'addons.cluster.x-k8s.io';
const selector = 'spec.clusterSelector';
const strategy = 'spec.strategy';
const immutable = 'field is immutable';

export const clusterResourceSetRules: KindRules = {
  group,
  kind: 'ClusterResourceSet',
  defaults: ({ object }) => valid(textAt(object, strategy) === '' ? setAt(object, strategy, 'ApplyOnce') : object),
  denialOf: change => {
    const { object } = change;
    return invalidUnlessEmpty([
      ...problemsOfSelector(object, selector),
      ...(hasNoRequirement(object, selector) ? [invalidValue(selector, {}, 'selector must not be empty')] : []),
      ...problemsOfTextChange(change, strategy),
      ...problemsOfSelectorChange(change),
    ]);
  },
};

export const clusterResourceSetBindingRules: KindRules = {
  group,
  kind: 'ClusterResourceSetBinding',
  denialOf: change => invalidUnlessEmpty(problemsOfTextChange(change, 'spec.clusterName')),
};

/** A text that was stored must not change. */
function problemsOfTextChange({ object, old }: CheckedWrite, path: string): readonly FieldError[] {
  const stored = old === undefined ? '' : textAt(old, path);
  const text = textAt(object, path);
  return stored === '' || stored === text ? [] : [invalidValue(path, text, immutable)];
}

/** An empty list differs from an absent one. */
function problemsOfSelectorChange({ object, old }: CheckedWrite): readonly FieldError[] {
  return old === undefined || sameJson(valueAt(object, selector), valueAt(old, selector))
    ? []
    : [invalidValue(selector, toPrintedSelector(selectorAt(object, selector)), immutable)];
}
