// Why the ExtensionConfig reconciler does what it does, in words. Pure.
import { injectId } from '../../../functions/extensionconfig/decide.ts';
import type { Seen } from '../../../functions/extensionconfig/seen.ts';
import { injectCaAnnotation } from '../../../shared/api/extension-config/kind.ts';
import type { Because } from './plan.ts';

/** `undefined` for an action that this does not know. */
export function whyOfExtensionConfig({ action, seen }: Because<Seen>): string | undefined {
  if (action.id !== injectId) {
    return undefined;
  }
  const secret = seen.config.metadata.annotations[injectCaAnnotation] ?? '';
  return `Secret ${secret}, which the annotation ${injectCaAnnotation} names, holds another ca.crt than the spec`;
}
