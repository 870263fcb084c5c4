// Recorded results of kube-apiserver for definitions, rules and values. test/fixtures/validation-rules names its version.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

type Fields = Readonly<Record<string, unknown>>;

interface MachineCounts {
  readonly reason: string;
  readonly field: string;
}

/** One value of one schema with rules. */
interface ValueCase {
  readonly reason: string;
  readonly schema: Fields;
  readonly value: unknown;
  /** The value before an update. Absent: the object is created. null: the object existed without the value. */
  readonly before?: unknown;
  /** Absent: accepted. Fields begin with `spec.value`. */
  readonly refused?: readonly (MachineCounts & { readonly message: string })[];
}

/** One schema, or one version that is odd otherwise. */
interface DefinitionCase {
  readonly reason: string;
  readonly schema: Fields;
  readonly version?: Fields;
  readonly refused?: readonly MachineCounts[];
}

/** One rule of an object with many kinds of members; the first refusal, if any, below the rule. */
interface RuleCase {
  readonly rule: Fields;
  readonly refused?: MachineCounts;
}

function read<T>(file: string): T {
  const path = join(import.meta.dirname, '../../../fixtures/validation-rules', file);
  return JSON.parse(readFileSync(path, 'utf8')) as T; // written in this form by the recorder
}

export const values = read<{ readonly cases: readonly ValueCase[] }>('values.json').cases;
export const definitions = read<{ readonly cases: readonly DefinitionCase[] }>('definitions.json').cases;
export const ruleTable = read<{ readonly properties: Fields; readonly cases: readonly RuleCase[] }>('rules.json');
