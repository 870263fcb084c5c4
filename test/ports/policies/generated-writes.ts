// Random writes, as for the comparison with upstream's webhooks. Updates change the object that the test has stored.
import type { JsonObject } from '@capi-serverless/apimachinery';
import {
  type PolicyKind,
  policyKinds,
  policyVersion,
} from '../../../infra/kubernetes/admission-policies/policy-check.ts';
import { aValid, type PolicyWrite } from '../../support/policies/written-objects.ts';
import { fc, seed } from '../../support/property.ts';
import { writesOf } from '../admission/generated-objects.ts';

/**
 * Without objects in deletion, which no policy checks, and without what API servers refuse before them: fields of wrong
 * types, and invalid annotations of the object itself.
 */
export function generatedWrites(kind: PolicyKind, numRuns: number): readonly PolicyWrite[] {
  const apiVersion = `${policyKinds[kind].group}/${policyVersion}`;
  return fc
    .sample(writesOf({ apiVersion, kind }), { numRuns, seed })
    .filter(({ object, isBroken }) => !isBroken && !('deletionTimestamp' in metadataOf(object)))
    .map(({ object, old }) => {
      const { '/note': _, ...annotations } = (metadataOf(object)['annotations'] ?? {}) as JsonObject; // True: it is a map.
      const metadata = { ...metadataOf(object), annotations };
      return old === undefined
        ? { kind, object: { ...object, metadata } }
        : { kind, object: { ...object, metadata: { ...metadata, name: 'stored' } }, old: aValid(kind) };
    });
}

const metadataOf = (object: JsonObject): JsonObject => object['metadata'] as JsonObject; // True: each object has one.
