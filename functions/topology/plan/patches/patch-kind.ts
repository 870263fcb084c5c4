// Determines the kind of a ClusterClass patch and the texts of its failures.
import { quote } from '@capi-serverless/apimachinery';
import type { ClassPatch } from '../../../../shared/api/cluster-class/class-spec.ts';

/** 'none': the patch only validates. */
export type PatchKind =
  | { readonly kind: 'inline' }
  | { readonly kind: 'external'; readonly handler: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'refused'; readonly problem: string };

/** `runtimeSdk`: whether extensions may be called. */
export function toPatchKind({ name, definitions, external }: ClassPatch, runtimeSdk: boolean): PatchKind {
  const generator = external?.generatePatchesExtension ?? '';
  const validator = external?.validateTopologyExtension ?? '';
  const isInline = (definitions ?? []).length > 0;
  if (!isInline && generator === '' && validator === '') {
    return { kind: 'refused', problem: `failed to create patch generator for patch ${quote(name)}` };
  }
  const callsExtension = (!isInline && generator !== '') || validator !== '';
  if (callsExtension && !runtimeSdk) {
    const problem = `can not use external patch ${quote(name)} if RuntimeSDK feature flag is disabled`;
    return { kind: 'refused', problem };
  }
  if (isInline) {
    return { kind: 'inline' };
  }
  return generator === '' ? { kind: 'none' } : { kind: 'external', handler: generator };
}

/** Returns the handler that validates the patched topology, or undefined if there is none. */
export function validatorOf({ external }: ClassPatch): string | undefined {
  const handler = external?.validateTopologyExtension ?? '';
  return handler === '' ? undefined : handler;
}

export const patchProblems = {
  generate: ({ name }: ClassPatch, cause: string) => `failed to generate patches for patch ${quote(name)}: ${cause}`,
  apply: ({ name }: ClassPatch, cause: string) => `failed to apply patches for patch ${quote(name)}: ${cause}`,
  validate: ({ name }: ClassPatch, cause: string) => `validation of patch ${quote(name)} failed: ${cause}`,
} as const;
