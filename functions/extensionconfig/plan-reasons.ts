// Describes the reason of each action of the ExtensionConfig reconciler. Pure.

import { isEarlyEnd } from '@capi-serverless/reconciler';
import { injectCaAnnotation } from '../../shared/api/extension-config/kind.ts';
import type { ExplainedAction } from '../../shared/explain/face.ts';
import { type ConfigPlan, injectId } from './plan.ts';

/** Returns `undefined` for an unknown action. */
export function whyOfExtensionConfig({ action, seen: plan }: ExplainedAction<ConfigPlan>): string | undefined {
  if (action.id !== injectId || isEarlyEnd(plan)) {
    return undefined;
  }
  const secret = plan.config.metadata.annotations[injectCaAnnotation] ?? '';
  return `Secret ${secret}, which the annotation ${injectCaAnnotation} names, has a ca.crt that differs from the caBundle of the spec`;
}
