// The rules of MachineDrainRules.
import { type FieldError, invalidValue, type JsonObject, valueAt } from '@capi-serverless/apimachinery';
import { problemsOfSelector } from './checks.ts';
import { invalidUnlessEmpty, type KindRules } from './kind-rules.ts';
import { isSetAt, textAt } from './object-fields.ts';

export const machineDrainRuleRules: KindRules = {
  group: 'cluster.x-k8s.io',
  kind: 'MachineDrainRule',
  denialOf: ({ object }) =>
    invalidUnlessEmpty([
      ...problemsOfOrder(object),
      ...problemsOfSelectors(object, 'spec.machines', ['selector', 'clusterSelector']),
      ...problemsOfSelectors(object, 'spec.pods', ['selector', 'namespaceSelector']),
    ]),
};

function problemsOfOrder(object: JsonObject): readonly FieldError[] {
  const field = 'spec.drain.order';
  const isUnordered = ['Skip', 'WaitCompleted'].includes(textAt(object, 'spec.drain.behavior'));
  const detail = 'order must not be set if drain behavior is "Skip" or "WaitCompleted"';
  return isUnordered && isSetAt(object, field) ? [invalidValue(field, valueAt(object, field), detail)] : [];
}

function problemsOfSelectors(object: JsonObject, path: string, fields: readonly string[]): readonly FieldError[] {
  const list = valueAt(object, path);
  return (Array.isArray(list) ? list : []).flatMap((entry: JsonObject, index) =>
    fields
      .flatMap(field => problemsOfSelector(entry, field))
      .map(error => ({ ...error, field: `${path}[${index}].${error.field}` })),
  );
}
