// Random writes, as for the comparison with upstream's webhooks. Updates change the object that the test has stored.
import type { JsonObject } from '@capi-serverless/apimachinery';
import { type PolicyKind, policyKinds, policyVersion } from '../../../infra/kubernetes/admission-policies/policy-check.ts';
import { aValid, type PolicyWrite } from '../../support/policies/written-objects.ts';
import { fc, seed } from '../../support/property.ts';
import { writesOf } from '../admission/generated-objects.ts';

/** Without objects in deletion, which no policy checks, and without fields of wrong types, which schemas refuse. */
export function generatedWrites(kind: PolicyKind, numRuns: number): readonly PolicyWrite[] {
  const apiVersion = `${policyKinds[kind].group}/${policyVersion}`;
  return fc
    .sample(writesOf({ apiVersion, kind }), { numRuns, seed })
    .filter(({ object, isBroken }) => !isBroken && !('deletionTimestamp' in metadataOf(object)))
    .map(({ object, old }) => {
      const stored = { ...object, metadata: { ...metadataOf(object), name: 'stored' } };
      return old === undefined ? { kind, object } : { kind, object: stored, old: aValid(kind) };
    });
}

const metadataOf = (object: JsonObject): JsonObject => object['metadata'] as JsonObject; // True: each object has one.
