// The permissions of the simulated provider in addition to those of every provider.

import { pluralOf } from '@capi-serverless/apimachinery';
import type { PolicyRule } from '@capi-serverless/reconciler';

export function lossRights(group: string, kind: string): PolicyRule {
  const why = 'deletes an object whose annotation simulates its loss';
  return { apiGroups: [group], resources: [pluralOf(kind)], verbs: ['delete'], why };
}
