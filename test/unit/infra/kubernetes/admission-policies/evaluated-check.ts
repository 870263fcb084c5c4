// Evaluates the expressions of policies with the rule engine of the embedded API server, without its limits for the
// estimated cost: policies have none.
import type { JsonObject } from '@capi-serverless/apimachinery';
import { createBudget, type StructuralSchema } from '@capi-serverless/cel';
import { policyVariables } from '../../../../../infra/kubernetes/admission-policies/checks.ts';
import {
  type PolicyCheck,
  type PolicyKind,
  policyKinds,
} from '../../../../../infra/kubernetes/admission-policies/policy-check.ts';
import { createMeter } from '../../../../../packages/cel/budget.ts';
import { compileText } from '../../../../../packages/cel/compile.ts';
import { fromJson } from '../../../../../packages/cel/from-json.ts';
import { typesOfSchemas } from '../../../../../packages/cel/schema-type.ts';
import { type CelType, dyn, formatType } from '../../../../../packages/cel/type.ts';
import type { CelValue } from '../../../../../packages/cel/value.ts';
import { coreCrds } from '../../../../../shared/api/crds.ts';

const texts = { type: 'object', additionalProperties: { type: 'string' } } as const;
const owner = { type: 'object', properties: { kind: { type: 'string' } } } as const;
const metadata: StructuralSchema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    labels: texts,
    annotations: texts,
    ownerReferences: { type: 'array', items: owner },
  },
};

const typeOf = typesOfSchemas();

function typeOfKind(kind: PolicyKind): CelType {
  const crd = coreCrds.find(({ spec }) => spec.names.kind === kind && spec.group === policyKinds[kind].group);
  const schema = crd?.spec.versions[0]?.schema.openAPIV3Schema as StructuralSchema | undefined; // True: it is one.
  const { spec = {} } = schema?.properties ?? {};
  return typeOf({ type: 'object', properties: { metadata, spec } })?.type ?? dyn;
}

/** Writes the definitions of variables in place of their names. */
function inlined(kind: PolicyKind, expression: string): string {
  const definitions = policyVariables[kind] ?? {};
  const next = expression.replace(/\bvariables\.(\w+)/g, (_, name: string) => `(${definitions[name]})`);
  return next === expression ? expression : inlined(kind, next);
}

interface EvaluatedWrite {
  readonly object: JsonObject;
  readonly old?: JsonObject;
  readonly claim?: JsonObject;
}

type Evaluate = (write: EvaluatedWrite) => CelValue;

/** Throws a CompileProblem. `type` is that of the result. */
function compileExpression(kind: PolicyKind, source: string): { readonly type: string; readonly evaluate: Evaluate } {
  const [type, claimType] = [typeOfKind(kind), typeOfKind('IPAddressClaim')];
  const compiled = compileText(inlined(kind, source), {
    variables: new Map([
      ['object', { type, slot: 0 }],
      // It is null when an object is created.
      ['oldObject', { type: dyn, slot: 1 }],
      ['params', { type: claimType, slot: 2 }],
    ]),
    nextSlot: 3,
    charge: () => {},
  });
  return {
    type: formatType(compiled.type),
    evaluate({ object, old, claim }) {
      const slots = [fromJson(object, type), fromJson(old ?? null, type), fromJson(claim ?? null, claimType)];
      return compiled.run({ slots, meter: createMeter(createBudget()) });
    },
  };
}

export interface EvaluatedCheck {
  /** The types of the expression and of the message. */
  readonly types: readonly string[];
  /** Returns the message of a refusal. */
  refusal(write: EvaluatedWrite): string | undefined;
}

/** Throws a CompileProblem. */
export function compileCheck({ kind, expression, message, messageExpression }: PolicyCheck): EvaluatedCheck {
  const condition = compileExpression(kind, expression);
  const text = messageExpression === undefined ? undefined : compileExpression(kind, messageExpression);
  return {
    types: [condition.type, text?.type ?? 'string'],
    refusal(write) {
      if (condition.evaluate(write) === true) {
        return undefined;
      }
      return text === undefined ? message : String(text.evaluate(write));
    },
  };
}
