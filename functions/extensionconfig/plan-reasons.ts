// Describes the reason of each action of the ExtensionConfig reconciler. Pure.

import { injectCaAnnotation } from '../../shared/api/extension-config/kind.ts';
import type { ExplainedAction } from '../../shared/explain/face.ts';
import { injectId } from './decide.ts';
import type { ExtensionConfigSeen } from './seen.ts';

/** Returns `undefined` for an unknown action. */
export function whyOfExtensionConfig({ action, seen }: ExplainedAction<ExtensionConfigSeen>): string | undefined {
  if (action.id !== injectId) {
    return undefined;
  }
  const secret = seen.config.metadata.annotations[injectCaAnnotation] ?? '';
  return `Secret ${secret}, which the annotation ${injectCaAnnotation} names, has a ca.crt that differs from the caBundle of the spec`;
}
