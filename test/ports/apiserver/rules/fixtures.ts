// Recorded results of kube-apiserver for definitions, rules and values. test/fixtures/validation-rules names its version.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@capi-serverless/apimachinery';

interface MachineCounts {
  readonly reason: string;
  readonly field: string;
}

/** One value of one schema with rules. */
interface ValueCase {
  readonly reason: string;
  readonly schema: JsonObject;
  readonly value: unknown;
  /** The value before an update. If absent, the object is created. If null, the object existed without the value. */
  readonly before?: unknown;
  /** The error. If absent, the value is accepted. Fields begin with `spec.value`. */
  readonly refused?: readonly (MachineCounts & { readonly message: string })[];
}

/** One schema, or one version with another defect. */
interface DefinitionCase {
  readonly reason: string;
  readonly schema: JsonObject;
  readonly version?: JsonObject;
  readonly refused?: readonly MachineCounts[];
}

/** One rule for an object with many types of members, and the first refusal, if any. */
interface RuleCase {
  readonly rule: JsonObject;
  readonly refused?: MachineCounts;
}

function read<T>(file: string): T {
  const path = join(import.meta.dirname, '../../../fixtures/validation-rules', file);
  return JSON.parse(readFileSync(path, 'utf8')) as T; // true: the recorder wrote it in this form
}

export const values = read<{ readonly cases: readonly ValueCase[] }>('values.json').cases;
export const definitions = read<{ readonly cases: readonly DefinitionCase[] }>('definitions.json').cases;
export const ruleTable = read<{ readonly properties: JsonObject; readonly cases: readonly RuleCase[] }>('rules.json');
